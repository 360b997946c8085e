#include "pipeline/run/row_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/build/row_wire.h"

namespace penstock {

StatusOr<std::vector<uint32_t>> GatherLengths(const Round& round,
                                              std::vector<uint32_t> mine,
                                              Group& group) {
  const std::string_view bytes(reinterpret_cast<const char*>(mine.data()),
                               mine.size() * sizeof(uint32_t));
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> told,
                            group.AllGather(bytes));
  std::vector<uint64_t> used(told.size());  // bytes of each host's
  std::vector<uint32_t> lengths(round.records.size());
  uint64_t row = 0;
  for (const Share& share : round.shares) {
    const uint64_t size = share.rows * sizeof(uint32_t);
    uint64_t& begin = used[share.host];
    if (told[share.host].size() - begin < size) break;
    std::memcpy(lengths.data() + row, told[share.host].data() + begin, size);
    begin += size;
    row += share.rows;
  }
  for (uint32_t host = 0; host < told.size(); ++host) {
    if (used[host] == told[host].size() && row == lengths.size()) continue;
    return InternalError(fmt::format(
        "host {} tells the lengths of {} rows of a round, not of its own", host,
        told[host].size() / sizeof(uint32_t)));
  }
  return lengths;
}

RowExchange::RowExchange(const Job& job, Group* group)
    : host_(job.topology.host),
      group_(group),
      sends_whole_(!job.stages.derived.empty() || job.stages.objective) {
  for (uint32_t host = 0; host < job.topology.hosts; ++host) {
    const auto fed = RowsOfShapes(job.topology, host, job.contract());
    feeders_.resize(fed.size());
    for (size_t shape = 0; shape < fed.size(); ++shape) {
      for (const uint32_t row : fed[shape]) {
        if (feeders_[shape].size() <= row) feeders_[shape].resize(row + 1);
        feeders_[shape][row].push_back(host);
      }
    }
  }
  for (const Feature& feature : job.stages.batched) {
    columns_.columns.emplace_back();
    columns_.columns.back().name = feature.name;
    columns_.columns.back().type = feature.type;
  }
}

uint32_t RowExchange::BeginSent(const Piece& piece) const {
  return sends_whole_ ? 0 : piece.begin;
}

// Behind the last piece there may be values that do not fit, of which whoever
// places it has to know.
size_t RowExchange::CountSent(const Piece& piece) const {
  return sends_whole_ || piece.last ? std::numeric_limits<size_t>::max()
                                    : piece.length;
}

std::vector<std::string> RowExchange::Outgoing(std::span<const FedStep> steps,
                                               const RowStore& store) const {
  std::vector<std::string> to(group_->hosts());
  for (const FedStep& fed : steps) {
    const Assignment& assignment = fed.step.assignment;
    for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
      for (const Piece& piece : PiecesOf(assignment, row)) {
        const RowPlace place = RowPlace::Of(piece.tag);
        if (place.host != host_) continue;
        const StoredRow& stored = store.Find(place.slot);
        for (const uint32_t host : FeedersOf(assignment, row)) {
          if (host == host_) continue;
          WriteRow(*stored.examples, stored.row, BeginSent(piece),
                   CountSent(piece), to[host]);
        }
      }
    }
  }
  return to;
}

Status RowExchange::Meet(std::span<FedStep> steps, RowStore& store) {
  std::vector<std::string> from;
  if (group_ != nullptr && !steps.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(from, group_->Exchange(Outgoing(steps, store)));
  }
  std::vector<std::string_view> left(from.begin(), from.end());
  for (FedStep& fed : steps) {
    const Assignment& assignment = fed.step.assignment;
    const auto received = std::make_shared<Examples>(columns_);
    std::vector<uint64_t> done;  // rows may have changed places
    for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
      const auto feeders = FeedersOf(assignment, row);
      const bool is_mine = std::ranges::find(feeders, host_) != feeders.end();
      for (const Piece& piece : PiecesOf(assignment, row)) {
        const RowPlace place = RowPlace::Of(piece.tag);
        if (place.host == host_) {
          if (is_mine) fed.sources.push_back(store.Find(place.slot));
          if (piece.last) done.push_back(place.slot);
        } else if (is_mine) {
          PENSTOCK_RETURN_IF_ERROR(
              ReadRow(columns_, left[place.host], *received));
          fed.sources.push_back(
              {received, received->rows - 1, BeginSent(piece)});
        }
      }
    }
    for (const uint64_t slot : done) store.Remove(slot);
  }
  return OkStatus();
}

}  // namespace penstock
