// Whose a file is that somebody is about to write: of which process, on which
// host, and whether that process still runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace penstock {

// A process, told apart from all others on all hosts at all times.
struct FileOwner {
  uint32_t host = 0;       // of the host's name and machine id, hashed
  uint32_t boot = 0;       // of what the host has drawn at its last start
  uint64_t processes = 0;  // which of the host's namespaces `pid` is of
  int64_t pid = 0;
  uint64_t start = 0;  // of the process, in clock ticks of the host

  bool operator==(const FileOwner&) const = default;
};

enum class OwnerState {
  kAlive,
  kDead,
  kUnknown,  // of another host or container, which cannot be seen from here
};

FileOwner ThisProcess();

// Dead is only whose host is this one beyond doubt: its process is gone, or
// another has its number, or the host has been started anew since.
OwnerState StateOf(const FileOwner& owner);

// "0123abcd-4567cdef-effffffc-4711-2847382", and back.
std::string OwnerText(const FileOwner& owner);
std::optional<FileOwner> ParseOwner(std::string_view text);

std::string HostName();

// A name for a temporary file of this process beside `name`: hidden, so that no
// glob takes it for a shard; with its owner, so that it can be removed when
// that is dead; and with a random number, so that it is used once.
std::string TemporaryName(std::string_view name);

// None for other names.
std::optional<FileOwner> OwnerOfTemporary(std::string_view name);

}  // namespace penstock
