// A reader from which no std::bad_alloc comes: the border between libraries
// that throw where memory ends and callers that are told so by a status.
#pragma once

#include <memory>
#include <string>

#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "formats/records/record_reader.h"

namespace penstock {

// What `open` gives, guarded: where memory ends, opening and NextBlock() are
// kResourceExhausted, naming `path`, the latter for ever. Locate() may throw.
// Cost:    a virtual call for each block.
StatusOr<std::unique_ptr<RecordReader>> OpenGuarded(
    const std::string& path,
    FunctionRef<StatusOr<std::unique_ptr<RecordReader>>()> open);

}  // namespace penstock
