#include "pipeline/run/row_exchange.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pipeline/run/row_wire.h"

namespace penstock {

namespace {

// What the records of a round became.
struct RoundRows {
  std::vector<uint32_t> rows_of;  // [records]; empty where each is one row
  std::vector<uint32_t> lengths;  // [rows]
};

// Takes `count` numbers from the front of `bytes`, if there are as many.
bool TakeNumbers(size_t count, std::string_view& bytes,
                 std::vector<uint32_t>& to) {
  const size_t size = count * sizeof(uint32_t);
  if (bytes.size() < size) return false;
  to.resize(to.size() + count);
  std::memcpy(to.data() + to.size() - count, bytes.data(), size);
  bytes.remove_prefix(size);
  return true;
}

// Of all records of `round`; `mine` are those of Round::mine.
StatusOr<RoundRows> Gather(const Round& round, const RoundRows& mine,
                           RowIds ids, Group& group) {
  // How many rows each record is, then the lengths.
  std::vector<uint32_t> numbers = mine.rows_of;
  numbers.insert(numbers.end(), mine.lengths.begin(), mine.lengths.end());
  const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()),
                               numbers.size() * sizeof(uint32_t));
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> told,
                            group.AllGather(bytes));
  std::vector<uint64_t> counts(told.size());  // bytes of each host's
  for (const Share& share : round.shares) {
    if (ids.most_rows > 1) counts[share.host] += share.rows * sizeof(uint32_t);
  }
  std::vector<std::string_view> rows_of(told.size());
  std::vector<std::string_view> lengths(told.size());
  for (size_t host = 0; host < told.size(); ++host) {
    const std::string_view all = told[host];
    rows_of[host] = all.substr(0, counts[host]);
    lengths[host] = all.substr(rows_of[host].size());
  }
  RoundRows rows;
  std::optional<size_t> wrong;
  for (const Share& share : round.shares) {
    const size_t before = rows.rows_of.size();
    size_t count = share.rows;
    bool told_all = true;
    if (ids.most_rows > 1) {
      told_all = TakeNumbers(share.rows, rows_of[share.host], rows.rows_of);
      count = std::reduce(
          rows.rows_of.begin() + static_cast<std::ptrdiff_t>(before),
          rows.rows_of.end(), size_t{0});
    }
    if (told_all && TakeNumbers(count, lengths[share.host], rows.lengths)) {
      continue;
    }
    wrong = share.host;
    break;
  }
  for (size_t host = 0; host < told.size() && !wrong; ++host) {
    if (!lengths[host].empty()) wrong = host;
  }
  if (!wrong) return rows;
  return InternalError(fmt::format(
      "host {} tells {} numbers of the rows of a round, not of its own", *wrong,
      told[*wrong].size() / sizeof(uint32_t)));
}

// Of the record whose first row is rows[at].
size_t CountRows(std::span<const Row> rows, size_t at, RowIds ids) {
  size_t count = 1;
  while (at + count < rows.size() &&
         ids.NumberOf(rows[at + count].record) != 0) {
    ++count;
  }
  return count;
}

}  // namespace

StatusOr<std::vector<Row>> GatherRows(const Job& job,
                                      const DecodedRound& decoded,
                                      Group* group) {
  const Round& round = decoded.round;
  const RowIds ids = job.row_ids;
  RoundRows all;
  all.lengths.reserve(round.mine.size());
  for (const DecodedRound::Part& part : decoded.parts) {
    all.lengths.insert(all.lengths.end(), part.lengths.begin(),
                       part.lengths.end());
    if (ids.most_rows == 1) continue;
    all.rows_of.insert(all.rows_of.end(), part.rows_of.begin(),
                       part.rows_of.end());
  }
  if (!job.stages.rows_vary()) {
    all.lengths.assign(round.records.size(), 0);
  } else if (group != nullptr) {
    const StageTimer timer(job.accounts->exchange);
    PENSTOCK_ASSIGN_OR_RETURN(all, Gather(round, all, ids, *group));
  }
  std::vector<Row> rows;
  rows.reserve(all.lengths.size());
  uint32_t share = 0;
  uint64_t left = 0;  // records of the share before it
  const uint32_t nobody = job.topology.hosts;
  for (size_t i = 0; i < round.records.size(); ++i) {
    uint32_t host = nobody;
    if (!round.shares.empty()) {
      while (i - left >= round.shares[share].rows) {
        left += round.shares[share++].rows;
      }
      host = round.shares[share].host;
    }
    const uint32_t count = all.rows_of.empty() ? 1 : all.rows_of[i];
    for (uint32_t number = 0; number < count; ++number) {
      rows.push_back({.record = ids.Of(round.records[i], number),
                      .tag = RowPlace{.host = host}.tag(),
                      .length = all.lengths[rows.size()]});
    }
  }
  return rows;
}

void KeepRows(const Job& job, const DecodedRound& decoded,
              std::span<const Waits> waits, const RowFit& fit, RowStore& store,
              std::span<Row> rows) {
  const std::vector<uint32_t>& mine = decoded.round.mine;
  size_t record = 0;  // of the round
  size_t at = 0;      // of `rows`, the first of that record
  size_t next = 0;    // of `mine`
  for (const DecodedRound::Part& part : decoded.parts) {
    size_t r = 0;  // of the part
    for (const uint32_t count : part.rows_of) {
      // Others' records before it.
      for (; record < mine[next]; ++record) {
        at += CountRows(rows, at, job.row_ids);
      }
      for (uint32_t number = 0; number < count; ++number, ++at, ++r) {
        if (!waits.empty() && waits[at] == Waits::kNot) continue;
        Row fitting = rows[at];
        if (!fit.AdmitAgain(fitting)) continue;
        const uint64_t slot =
            store.Add(part.examples, r, fit.ShapeOf(fitting.length));
        rows[at].tag = RowPlace{job.topology.host, slot}.tag();
      }
      ++record;
      ++next;
    }
  }
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
        const StoredRow stored = store.Find(place.slot);
        for (const uint32_t host : FeedersOf(assignment.shape, row)) {
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
    std::shared_ptr<Examples> received;  // of other hosts
    done_.clear();                       // rows may have changed places
    sources_.clear();
    bool waits = false;
    for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
      const auto feeders = FeedersOf(assignment.shape, row);
      const bool is_mine = std::ranges::find(feeders, host_) != feeders.end();
      for (const Piece& piece : PiecesOf(assignment, row)) {
        const RowPlace place = RowPlace::Of(piece.tag);
        if (place.host == host_) {
          if (is_mine) {
            sources_.push_back(store.Find(place.slot));
            if (sources_.back().examples != nullptr) {
              fed.owners.Add(store.OwnerOf(place.slot));
              waits = true;
            }
          }
          if (piece.last) done_.push_back(place.slot);
        } else if (is_mine) {
          if (!received) received = std::make_shared<Examples>(columns_);
          PENSTOCK_RETURN_IF_ERROR(
              ReadRow(columns_, left[place.host], *received));
          sources_.push_back({received.get(),
                              static_cast<uint32_t>(received->rows - 1),
                              BeginSent(piece)});
          waits = true;
        }
      }
    }
    if (waits) fed.sources = sources_;
    for (const uint64_t slot : done_) store.Remove(slot);
    if (received) fed.owners.Add(received);
  }
  return OkStatus();
}

}  // namespace penstock
