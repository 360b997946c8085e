// Takes one text out of one JSON document.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/json_check.h"
#include "formats/files/status_or.h"

namespace penstock {

// Parses whole documents with simdjson's DOM: its streaming interface loses or
// merges lines that are damaged, without saying so (docs/formats/text.md).
//
// Threads: one at a time.
class JsonText {
 public:
  // `path` is field names with dots between them.
  explicit JsonText(std::string_view path, JsonLeniency leniency = {});
  ~JsonText();

  // The string at the path. The view lives until the next call. Behind
  // `document` TextBuffer::kPaddingBytes more bytes must be readable.
  // Errors:  kDataLoss for no JSON or more than one document, with the column;
  //          kInvalidArgument where no string is there;
  //          kResourceExhausted for 1024 levels and more.
  StatusOr<std::string_view> Read(std::string_view document);

  // Whether a name of the path came twice in the document read last. The last
  // of them counts.
  bool repeated() const { return repeated_; }

 private:
  struct Parser;

  // Parses the document, once more with it mended where that may help.
  Status Parse(std::string_view document);

  const std::string path_;
  const JsonLeniency leniency_;
  std::vector<std::string> names_;
  std::unique_ptr<Parser> parser_;
  std::string mended_;
  bool repeated_ = false;
};

}  // namespace penstock
