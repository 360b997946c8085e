// Readers of text files, asked for all they have.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"
#include "tests/formats/streams/reference_zlib.h"

namespace penstock::testing {

// Everything a reader gives before its end or its error.
struct ReadOut {
  std::vector<std::string> records;
  std::vector<std::string> places;  // Locate() of each
  Status status;
};

inline ReadOut ReadAll(StatusOr<std::unique_ptr<RecordReader>> reader) {
  ReadOut out;
  if (!reader.ok()) {
    out.status = reader.status();
    return out;
  }
  for (;;) {
    const auto block = (*reader)->NextBlock();
    if (!block.ok() || !*block) {
      out.status = block.status();
      break;
    }
    if ((*block)->first != out.records.size() || (*block)->records.empty()) {
      out.status = InternalError("a block is empty or out of place");
      return out;
    }
    for (size_t i = 0; i < (*block)->records.size(); ++i) {
      out.records.emplace_back((*block)->records[i]);
      out.places.push_back((*reader)->Locate(i));
    }
  }
  // The end and an error are for ever.
  const auto again = (*reader)->NextBlock();
  if (again.status() != out.status || (again.ok() && *again)) {
    out.status = InternalError("the end did not last");
  }
  return out;
}

inline std::string Gzip(std::string_view bytes) {
  return ReferenceCompress(bytes, kGzipBits);
}

}  // namespace penstock::testing
