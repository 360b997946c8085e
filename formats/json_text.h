// Takes one text out of one JSON document.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace penstock {

// Parses whole documents with simdjson's DOM: its streaming interface loses or
// merges lines that are damaged, without saying so (docs/formats/text.md).
//
// Threads: one at a time.
class JsonText {
 public:
  // `path` is field names with dots between them.
  explicit JsonText(std::string_view path);
  ~JsonText();

  // The string at the path. The view lives until the next call. Behind
  // `document` TextBuffer::kPaddingBytes more bytes must be readable.
  // Errors:  kDataLoss for no JSON or more than one document;
  //          kInvalidArgument where no string is there;
  //          kResourceExhausted for more than 1024 levels.
  absl::StatusOr<std::string_view> Read(std::string_view document);

 private:
  struct Parser;

  const std::string path_;
  std::vector<std::string> names_;
  std::unique_ptr<Parser> parser_;
};

}  // namespace penstock
