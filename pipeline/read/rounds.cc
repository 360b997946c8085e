#include "pipeline/read/rounds.h"

#include <fmt/format.h>

namespace penstock {

Status RecordTooLarge(const std::string& where, uint64_t bytes,
                      uint64_t max_record_bytes) {
  return ResourceExhaustedError(fmt::format(
      "{}: a record of {} bytes, but CompileOptions::max_record_bytes is {}",
      where, bytes, max_record_bytes));
}

void DealRows(const RoundOptions& options, uint64_t first, Round& round) {
  const uint64_t rows = round.records.size();
  round.mine.reserve(rows / options.hosts + 1);
  if (options.shares != nullptr) {
    for (uint64_t row = 0; row < rows; ++row) {
      const uint32_t host = options.shares->HostOf(round.records[row]);
      if (round.shares.empty() || round.shares.back().host != host) {
        round.shares.push_back({.host = host, .rows = 0});
      }
      ++round.shares.back().rows;
      if (host == options.host) {
        round.mine.push_back(static_cast<uint32_t>(row));
      }
    }
    return;
  }
  if (!options.feeds.empty()) {
    // No lengths are told, so nobody needs to know whose the others are.
    for (uint64_t row = 0; row < rows; ++row) {
      if (options.feeds[(first + row) % options.feeds.size()]) {
        round.mine.push_back(static_cast<uint32_t>(row));
      }
    }
    return;
  }
  for (uint32_t host = 0; host < options.hosts; ++host) {
    const uint64_t begin = rows * host / options.hosts;
    const uint64_t end = rows * (host + 1) / options.hosts;
    if (begin == end) continue;
    round.shares.push_back({.host = host, .rows = end - begin});
    if (host != options.host) continue;
    for (uint64_t row = begin; row < end; ++row) {
      round.mine.push_back(static_cast<uint32_t>(row));
    }
  }
}

}  // namespace penstock
