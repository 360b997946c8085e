#include "tools/programs/spooled_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace penstock {

StatusOr<SpooledInput> SpooledInput::Read() {
  const auto full = [] {
    return ResourceExhaustedError(fmt::format(
        "cannot keep standard input in a temporary file: {}; give it as a file",
        std::strerror(errno)));
  };
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) return full();
  SpooledInput spooled(file);
  std::vector<char> block(1 << 20);
  size_t size;
  while ((size = std::fread(block.data(), 1, block.size(), stdin)) > 0) {
    if (std::fwrite(block.data(), 1, size, file) != size) return full();
  }
  if (std::ferror(stdin) != 0) {
    return UnavailableError(
        fmt::format("cannot read standard input: {}", std::strerror(errno)));
  }
  if (std::fflush(file) != 0) return full();
  return spooled;
}

std::string SpooledInput::path() const {
  return fmt::format("/proc/self/fd/{}", fileno(file_.get()));
}

}  // namespace penstock
