#include "tools/programs/spooled_input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace penstock {
namespace {

// How long it takes to see that it is to stop, at most.
constexpr int kPollMs = 50;

}  // namespace

StatusOr<SpooledInput> SpooledInput::Read(const std::stop_token& stop) {
  return Copy(STDIN_FILENO, "standard input", stop);
}

StatusOr<SpooledInput> SpooledInput::ReadFrom(const std::string& path,
                                              const std::stop_token& stop) {
  // Without O_NONBLOCK opening a pipe would wait for its writer, and nothing
  // could end that.
  const int from = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (from < 0) {
    return UnavailableError(
        fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  }
  auto spooled = Copy(from, path, stop);
  close(from);
  return spooled;
}

StatusOr<SpooledInput> SpooledInput::Copy(int from, const std::string& name,
                                          const std::stop_token& stop) {
  const auto full = [&] {
    return ResourceExhaustedError(
        fmt::format("cannot keep {} in a temporary file: {}; give it as a file",
                    name, std::strerror(errno)));
  };
  File file(std::tmpfile());
  if (file == nullptr) return full();
  std::vector<char> block(1 << 20);
  while (!stop.stop_requested()) {
    pollfd ready = {.fd = from, .events = POLLIN, .revents = 0};
    // A pipe without a writer is not ready before it had one.
    if (poll(&ready, 1, kPollMs) == 0) continue;
    const ssize_t size = read(from, block.data(), block.size());
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size < 0) {
      return UnavailableError(
          fmt::format("cannot read {}: {}", name, std::strerror(errno)));
    }
    if (size == 0) {
      if (std::fflush(file.get()) != 0) return full();
      return SpooledInput(std::move(file));
    }
    if (std::fwrite(block.data(), 1, size, file.get()) !=
        static_cast<size_t>(size)) {
      return full();
    }
  }
  return CancelledError(fmt::format("stopped while reading {}", name));
}

std::string SpooledInput::path() const {
  return fmt::format("/proc/self/fd/{}", fileno(file_.get()));
}

}  // namespace penstock
