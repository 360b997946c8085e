#include "formats/records/recovery.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status.h"

namespace penstock {
namespace {

constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();

bool Over(const SkipLimit& used, const SkipLimit& limit) {
  return used.regions > limit.regions || used.bytes > limit.bytes;
}

// "3 regions", "100 bytes", "3 regions and 100 bytes".
std::string LimitText(const SkipLimit& limit) {
  if (limit.bytes == kAny) return fmt::format("{} regions", limit.regions);
  if (limit.regions == kAny) return fmt::format("{} bytes", limit.bytes);
  return fmt::format("{} regions and {} bytes", limit.regions, limit.bytes);
}

}  // namespace

std::string_view OnCorruptionName(OnCorruption on_corruption) {
  switch (on_corruption) {
    case OnCorruption::kFail:
      return "fail";
    case OnCorruption::kSkip:
      return "skip";
    case OnCorruption::kResync:
      return "resync";
  }
  return "unknown";
}

std::string SkippedText(const SkippedRegion& region) {
  return fmt::format("skipped [{}, {}): {}", region.begin, region.end,
                     region.reason);
}

Status SkipBudget::Take(uint64_t bytes) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const SkipLimit used = {.regions = regions_.fetch_add(1, kRelaxed) + 1,
                          .bytes = bytes_.fetch_add(bytes, kRelaxed) + bytes};
  if (!Over(used, limit_)) return OkStatus();
  return ResourceExhaustedError(
      fmt::format("more than {} would be skipped in all files together",
                  LimitText(limit_)));
}

Status CheckRecovery(const std::string& path, const RecoveryOptions& options) {
  if (options.on_corruption == OnCorruption::kFail || options.on_skipped) {
    return OkStatus();
  }
  return InvalidArgumentError(fmt::format(
      "{}: on_corruption is {}, but on_skipped is not set: nobody would be "
      "told of what is lost",
      path, OnCorruptionName(options.on_corruption)));
}

SkipMeter::SkipMeter(RecoveryOptions options) : options_(std::move(options)) {}

Status SkipMeter::Skip(SkippedRegion region) {
  const uint64_t bytes = region.end - region.begin;
  ++used_.regions;
  used_.bytes += bytes;
  if (Over(used_, options_.per_file)) {
    return ResourceExhaustedError(fmt::format(
        "{}: more than {} would be skipped in one file; next: {}", region.file,
        LimitText(options_.per_file), SkippedText(region)));
  }
  if (options_.total != nullptr) {
    PENSTOCK_RETURN_IF_ERROR(options_.total->Take(bytes));
  }
  options_.on_skipped(region);
  return OkStatus();
}

}  // namespace penstock
