#include "tools/programs/spooled_input.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace penstock {

StatusOr<SpooledInput> SpooledInput::Read() {
  return Copy(stdin, "standard input");
}

StatusOr<SpooledInput> SpooledInput::ReadFrom(const std::string& path) {
  const File from(std::fopen(path.c_str(), "rbe"));
  if (from == nullptr) {
    return UnavailableError(
        fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  }
  return Copy(from.get(), path);
}

StatusOr<SpooledInput> SpooledInput::Copy(std::FILE* from,
                                          const std::string& name) {
  const auto full = [&] {
    return ResourceExhaustedError(
        fmt::format("cannot keep {} in a temporary file: {}; give it as a file",
                    name, std::strerror(errno)));
  };
  File file(std::tmpfile());
  if (file == nullptr) return full();
  std::vector<char> block(1 << 20);
  size_t size;
  while ((size = std::fread(block.data(), 1, block.size(), from)) > 0) {
    if (std::fwrite(block.data(), 1, size, file.get()) != size) return full();
  }
  if (std::ferror(from) != 0) {
    return UnavailableError(
        fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
  if (std::fflush(file.get()) != 0) return full();
  return SpooledInput(std::move(file));
}

std::string SpooledInput::path() const {
  return fmt::format("/proc/self/fd/{}", fileno(file_.get()));
}

}  // namespace penstock
