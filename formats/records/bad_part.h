// A part of an input that gives no record, and whether the rest is read.
#pragma once

#include <string_view>

#include "formats/files/callback.h"
#include "formats/files/status.h"

namespace penstock {

enum class BadPart {
  kLine,      // of JSONL
  kRow,       // of CSV or TSV
  kDocument,  // a text, an Example, a sample
  kMember,    // of an archive, from the bad place on
  kFile,      // from the bad place on
};

// "line", "row", "document", "member", "file".
std::string_view BadPartName(BadPart part);

// Asked about each part that gives no record, and why. OK leaves the part out;
// an error ends the file with that error.
using OnBadPart = Callback<Status(BadPart part, const Status& why)>;

}  // namespace penstock
