#include "tokenizer/load.h"

#include <fmt/format.h>

#include "formats/status.h"
#include "tokenizer/byte_tokenizer.h"

namespace penstock {

absl::StatusOr<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    FileSystem& files, const std::string& path, LoadOptions options) {
  if (path == "bytes") {
    if (!options.pattern.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("the byte tokenizer has no pattern; leave out \"{}\"",
                      options.pattern));
    }
    return std::make_shared<ByteTokenizer>();
  }
  return absl::InvalidArgumentError(
      fmt::format("{}: not a tokenizer; give \"bytes\"", path));
}

}  // namespace penstock
