#include "pipeline/read/share_dealer.h"

#include <algorithm>

namespace penstock {

ShareDealer::ShareDealer(const RoundOptions& options, uint64_t first,
                         Round& round)
    : options_(options),
      first_(first),
      round_(round),
      rows_each_((options.rows + options.hosts - 1) / options.hosts),
      dealt_(options.hosts) {}

bool ShareDealer::Deal(const SequenceRecord& record) {
  const uint64_t row = round_.records.size();
  round_.records.push_back(record.id);
  bool is_mine = false;
  if (record.host != kAnyHost) {
    is_mine = DealTo(record.host, record.size_bytes);
    full_ = EndsShare(dealt_[record.host]);
  } else if (!options_.feeds.empty()) {
    Dealt& mine = dealt_[options_.host];
    is_mine = options_.feeds[(first_ + row) % options_.feeds.size()];
    if (is_mine) mine.bytes += record.size_bytes;
    full_ = row + 1 == options_.rows || mine.bytes >= options_.raw_bytes;
  } else {
    is_mine = DealTo(host_, record.size_bytes);
    if (EndsShare(dealt_[host_])) full_ = ++host_ == options_.hosts;
  }
  if (is_mine) round_.mine.push_back(static_cast<uint32_t>(row));
  return is_mine;
}

bool ShareDealer::DealTo(uint32_t host, uint64_t size_bytes) {
  if (round_.shares.empty() || round_.shares.back().host != host) {
    round_.shares.push_back({.host = host, .rows = 0});
  }
  ++round_.shares.back().rows;
  ++dealt_[host].rows;
  dealt_[host].bytes += size_bytes;
  return host == options_.host;
}

uint64_t ShareDealer::most_bytes() const {
  return std::ranges::max_element(dealt_, {}, &Dealt::bytes)->bytes;
}

}  // namespace penstock
