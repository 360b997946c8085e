#include "pipeline/groups/frame.h"

#include <bit>
#include <cstring>

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little);

template <typename T>
void Put(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
bool Get(std::string_view& in, T& value) {
  if (in.size() < sizeof(value)) return false;
  std::memcpy(&value, in.data(), sizeof(value));
  in.remove_prefix(sizeof(value));
  return true;
}

}  // namespace

std::string WriteFrame(const Frame& frame) {
  size_t size = 14;
  for (const std::string& part : frame.parts) size += 8 + part.size();
  std::string out;
  out.reserve(size);
  Put(static_cast<uint8_t>(frame.kind), out);
  Put(frame.channel, out);
  Put(frame.number, out);
  Put(static_cast<uint32_t>(frame.parts.size()), out);
  for (const std::string& part : frame.parts) {
    Put(uint64_t{part.size()}, out);
    out += part;
  }
  return out;
}

StatusOr<Frame> ReadFrame(std::string_view bytes) {
  const Status bad = InternalError("a host sends what is no frame of a group");
  Frame frame;
  uint8_t kind = 0;
  uint32_t parts = 0;
  if (!Get(bytes, kind) || !Get(bytes, frame.channel) ||
      !Get(bytes, frame.number) || !Get(bytes, parts) ||
      parts > bytes.size() / 8) {
    return bad;
  }
  frame.kind = static_cast<FrameKind>(kind);
  frame.parts.reserve(parts);
  for (uint32_t i = 0; i < parts; ++i) {
    uint64_t size = 0;
    if (!Get(bytes, size) || size > bytes.size()) return bad;
    frame.parts.emplace_back(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
  if (!bytes.empty()) return bad;
  return frame;
}

Frame FrameOfStatus(FrameKind kind, uint8_t channel, const Status& status) {
  return {.kind = kind,
          .channel = channel,
          .number = static_cast<uint64_t>(status.code()),
          .parts = {std::string(status.message())}};
}

Status StatusOfFrame(const Frame& frame) {
  const bool known = frame.number >= 1 && frame.number <= 15;
  return Status(
      known ? static_cast<StatusCode>(frame.number) : StatusCode::kUnknown,
      frame.parts.empty() ? std::string_view() : frame.parts[0]);
}

}  // namespace penstock
