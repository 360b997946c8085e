// What hosts and their coordinator say to each other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"

namespace penstock {

enum class FrameKind : uint8_t {
  // From a host.
  kHello = 1,  // number: hosts << 32 | this one; parts: version, who it is
  kGather,     // number: of the round; parts: one, for all
  kExchange,   // number: of the round; parts: one for each host
  kFail,       // number: the status' code; parts: its message
  kBeat,       // number: how many; parts: the last report
  kLeave,
  // From the coordinator.
  kWelcome,  // all hosts have come
  kTaken,    // number: of the round; parts: one from each host
  kFailed,   // as kFail
  kBeats,    // parts: of each host 8 bytes of its number, then its report
};

// Hosts of other versions must be able to read the first frame:
//
// | bytes | what                                |
// |-------|-------------------------------------|
// | 1     | kind                                |
// | 1     | channel                             |
// | 8     | number, little endian               |
// | 4     | parts                               |
// | 8 + n | of each part its size and its bytes |
struct Frame {
  FrameKind kind = FrameKind::kHello;
  uint8_t channel = 0;
  uint64_t number = 0;
  std::vector<std::string> parts = {};

  bool operator==(const Frame&) const = default;
};

std::string WriteFrame(const Frame& frame);
// Errors:  kInternal for bytes that are no frame.
StatusOr<Frame> ReadFrame(std::string_view bytes);

// A frame of `kind` that carries `status`, and back.
Frame FrameOfStatus(FrameKind kind, uint8_t channel, const Status& status);
Status StatusOfFrame(const Frame& frame);

}  // namespace penstock
