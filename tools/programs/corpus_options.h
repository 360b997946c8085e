// The options of programs that read corpora: what the files are, and where in
// them the text is.
#pragma once

#include <CLI/CLI.hpp>

#include "formats/open.h"

namespace penstock {

// `open` must outlive `app`.
void AddCorpusOptions(CLI::App& app, OpenOptions& open);

}  // namespace penstock
