// The one file that knows every sequence.
#pragma once

#include <memory>

#include "formats/files/file.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"
#include "pipeline/group.h"
#include "pipeline/read/sequence.h"
#include "pipeline/read/unit_reader.h"

namespace penstock {

// Of sources that are read in sequence. Where each file is read by one host,
// `group` says so to all; null where every host reads all files, by itself.
// Borrows `files` and `group`.
std::unique_ptr<Sequence> OpenSequence(FileSystem& files, const Stages& stages,
                                       const Sources& sources, Group* group,
                                       const UnitReaderOptions& reader);

}  // namespace penstock
