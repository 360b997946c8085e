#include "formats/files/file_owner.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <climits>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "formats/files/crc32c.h"

namespace penstock {
namespace {

// The namespace that a host starts with: /proc/self/ns/pid outside of
// containers.
constexpr uint64_t kHostProcesses = 0xEFFFFFFC;
constexpr std::string_view kTemporaryEnd = ".tmp";
constexpr size_t kMostNameBytes = 255;

struct Process {
  char state = ' ';
  uint64_t start = 0;
};

std::string FirstLine(const std::string& path) {
  std::string line;
  std::ifstream in(path);
  std::getline(in, line);
  return line;
}

// None where /proc does not tell.
std::optional<Process> ReadProcess(const std::string& pid) {
  const std::string line = FirstLine("/proc/" + pid + "/stat");
  // The name, in brackets, may hold anything.
  const size_t end = line.rfind(')');
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(end + 1));
  Process process;
  fields >> process.state;
  std::string skipped;
  for (int field = 4; field < 22; ++field) fields >> skipped;
  fields >> process.start;
  if (!fields) return std::nullopt;
  return process;
}

uint64_t ProcessNamespace() {
  char target[64] = {};
  if (readlink("/proc/self/ns/pid", target, sizeof(target) - 1) < 0) return 0;
  const std::string_view text = target;  // "pid:[4026531836]"
  const size_t digits = text.find('[') + 1;
  uint64_t number = 0;
  std::from_chars(text.data() + digits, text.data() + text.size(), number);
  return number;
}

// All but pid and start.
FileOwner FindHost() {
  const std::string boot = FirstLine("/proc/sys/kernel/random/boot_id");
  std::string machine = FirstLine("/etc/machine-id");
  // Without it two starts of one host cannot be told from two hosts.
  if (machine.empty()) machine = boot;
  return {.host = Crc32c(HostName() + "\n" + machine),
          .boot = Crc32c(boot),
          .processes = ProcessNamespace()};
}

template <typename Number>
bool ParseNumber(std::string_view text, Number& number, int base) {
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number, base);
  return error == std::errc() && end == last;
}

}  // namespace

std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, HOST_NAME_MAX) != 0) return "unknown";
  return name;
}

FileOwner ThisProcess() {
  static const FileOwner host = FindHost();
  FileOwner owner = host;  // after a fork it is another process
  owner.pid = getpid();
  const std::optional<Process> process = ReadProcess("self");
  if (process.has_value()) owner.start = process->start;
  return owner;
}

OwnerState StateOf(const FileOwner& owner) {
  const FileOwner self = ThisProcess();
  if (owner.host != self.host) return OwnerState::kUnknown;
  if (owner.boot != self.boot) {
    // Images of containers may carry one name and one machine id to many hosts.
    const bool outside =
        owner.processes == kHostProcesses && self.processes == kHostProcesses;
    return outside ? OwnerState::kDead : OwnerState::kUnknown;
  }
  if (owner.processes != self.processes) return OwnerState::kUnknown;
  if (kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH) {
    return OwnerState::kDead;
  }
  const std::optional<Process> process = ReadProcess(std::to_string(owner.pid));
  if (!process.has_value()) return OwnerState::kAlive;  // as far as is known
  const bool ended = process->state == 'Z' || process->state == 'X';
  return ended || process->start != owner.start ? OwnerState::kDead
                                                : OwnerState::kAlive;
}

std::string OwnerText(const FileOwner& owner) {
  return fmt::format("{:08x}-{:08x}-{:x}-{}-{}", owner.host, owner.boot,
                     owner.processes, owner.pid, owner.start);
}

std::optional<FileOwner> ParseOwner(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('-', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  FileOwner owner;
  if (parts.size() != 5 || !ParseNumber(parts[0], owner.host, 16) ||
      !ParseNumber(parts[1], owner.boot, 16) ||
      !ParseNumber(parts[2], owner.processes, 16) ||
      !ParseNumber(parts[3], owner.pid, 10) ||
      !ParseNumber(parts[4], owner.start, 10) || owner.pid <= 0) {
    return std::nullopt;
  }
  return owner;
}

std::string TemporaryName(std::string_view name) {
  std::random_device random;
  const std::string end = fmt::format(".{}-{:08x}{}", OwnerText(ThisProcess()),
                                      random(), kTemporaryEnd);
  return fmt::format(".{}{}", name.substr(0, kMostNameBytes - 1 - end.size()),
                     end);
}

std::optional<FileOwner> OwnerOfTemporary(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kTemporaryEnd)) {
    return std::nullopt;
  }
  name.remove_suffix(kTemporaryEnd.size());
  const size_t owner = name.rfind('.') + 1;
  const size_t number = name.rfind('-');
  if (number == std::string_view::npos || number < owner) return std::nullopt;
  return ParseOwner(name.substr(owner, number - owner));
}

}  // namespace penstock
