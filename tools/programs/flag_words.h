// What the library calls the field of an options struct, the programs call a
// flag.
#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "formats/files/status.h"

namespace penstock {

// What a message says, and what it is to say instead.
using FlagWord = std::pair<std::string_view, std::string_view>;

// `status` with these words in its message, one after the other.
Status WithFlagWords(const Status& status, std::span<const FlagWord> words);

// `status` with "--max-record-bytes" where its message says "max_record_bytes",
// and so on for each flag of CorpusOptions.
Status WithFlagWords(const Status& status);

}  // namespace penstock
