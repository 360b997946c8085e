#include "pipeline/read/shared_sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/tasks/steady_ns.h"

namespace penstock {

SharedSequence::SharedSequence(Group& group, FileSystem& files,
                               std::vector<std::string> paths, OpenOptions open,
                               UnitReaderOptions options)
    : group_(group),
      places_(paths),
      reader_(files, std::move(paths), std::move(open), options),
      queues_(options.hosts) {
  EnterUnit(0);
}

Status SharedSequence::StartAt(const SequenceStart& start) {
  start_ = start;
  epoch_ = start.epoch;
  next_id_ = 0;
  for (size_t i = 0; i < start.units.size(); ++i) {
    PENSTOCK_RETURN_IF_ERROR(places_.Check(start.units[i]));
    if (i == 0) continue;
    if (start.units[i].unit <= start.units[i - 1].unit ||
        start.units[i].first_record < start.units[i - 1].first_record) {
      return FailedPreconditionError(
          "the files that the state reads are not in their order");
    }
  }
  if (begun_) {
    PassOver(epoch_);
  } else {
    reader_.StartAt(start);
  }
  if (!start.units.empty()) next_id_ = start.units.front().first_record;
  EnterUnit(start.units.empty() ? 0 : start.units.front().unit);
  return OkStatus();
}

// All hosts leave an epoch behind the same record, and then have the same
// queues.
void SharedSequence::PassOver(uint64_t epoch) {
  for (uint32_t host = 0; host < queues_.size(); ++host) {
    std::deque<Queued>& queue = queues_[host];
    while (!queue.empty() && queue.front().told.epoch < epoch) {
      if (host == reader_.options().host) Forget(queue.front());
      queue.pop_front();
    }
  }
  reader_.PassOver(epoch);
}

// Makes room for what this host reads next in place of what it told.
void SharedSequence::Forget(const Queued& front) {
  const std::vector<uint64_t>& sizes = front.told.sizes;
  ahead_records_ -= kToldCost + (sizes.size() - front.taken);
  for (size_t i = front.taken; i < sizes.size(); ++i) {
    if (sizes[i] <= reader_.options().max_record_bytes) {
      ahead_bytes_ -= sizes[i];
    }
  }
}

void SharedSequence::EnterUnit(uint64_t unit) {
  unit_ = unit;
  if (unit_ == places_.paths().size()) return;
  places_.Remember({.unit = unit_, .first_record = next_id_});
}

// Goes on with the next unit that is needed.
void SharedSequence::EndUnit() {
  const auto listed =
      std::ranges::upper_bound(start_.units, unit_, {}, &UnitPlace::unit);
  if (listed == start_.units.end()) {
    EnterUnit(unit_ + 1);
    return;
  }
  next_id_ = listed->first_record;
  EnterUnit(listed->unit);
}

// The host that could not read tells why.
Status SharedSequence::Failure(uint32_t host) {
  if (host == reader_.options().host) return reader_.failure();
  failed_elsewhere_ = UnavailableError(
      fmt::format("host {} cannot read its files any further", host));
  return failed_elsewhere_;
}

Status SharedSequence::CauseOf(const Status& error) {
  if (error.ok() || error != failed_elsewhere_) return error;
  PENSTOCK_RETURN_IF_ERROR(group_.AllGather("").status());
  return error;
}

StatusOr<bool> SharedSequence::HasNext(const std::stop_token& stop) {
  begun_ = true;
  while (unit_ < places_.paths().size()) {
    std::deque<Queued>& queue = Front();
    if (queue.empty()) {
      PENSTOCK_RETURN_IF_ERROR(Meet(stop));
      continue;
    }
    const Queued& front = queue.front();
    if (front.told.epoch != epoch_ || front.told.unit != unit_) {
      return InternalError(
          fmt::format("host {} reads file {} of epoch {} where file {} of "
                      "epoch {} is due",
                      reader_.HostOf(unit_), front.told.unit, front.told.epoch,
                      unit_, epoch_));
    }
    if (front.taken < front.told.sizes.size()) return true;
    if (front.told.failed) return Failure(reader_.HostOf(unit_));
    const bool ends = front.told.ends_unit;
    if (reader_.HostOf(unit_) == reader_.options().host) Forget(front);
    queue.pop_front();
    if (ends) EndUnit();
  }
  return false;
}

StatusOr<std::optional<SequenceRecord>> SharedSequence::Next(
    const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, HasNext(stop));
  if (!more) return std::nullopt;
  return std::optional<SequenceRecord>(Take(Front().front()));
}

SequenceRecord SharedSequence::Take(Queued& front) {
  const ToldRecords& told = front.told;
  while (front.of_run == told.runs[front.run].records) {
    ++front.run;
    front.of_run = 0;
  }
  ++front.of_run;
  SequenceRecord record = {.id = next_id_++,
                           .size_bytes = told.sizes[front.taken],
                           .host = told.runs[front.run].host};
  if (!told.bytes.empty()) record.bytes = told.bytes[front.taken];
  ++front.taken;
  if (reader_.HostOf(unit_) == reader_.options().host) {
    --ahead_records_;
    if (record.size_bytes <= reader_.options().max_record_bytes) {
      ahead_bytes_ -= record.size_bytes;
    }
  }
  records_read_.fetch_add(1, std::memory_order_relaxed);
  return record;
}

// Every host tells what it has read since, which may be nothing.
Status SharedSequence::Meet(const std::stop_token& stop) {
  PENSTOCK_ASSIGN_OR_RETURN(UnitNews news,
                            reader_.ReadOn(ahead_bytes_, ahead_records_, stop));
  ahead_bytes_ += news.bytes;
  ahead_records_ += news.records;
  const int64_t begin_ns = SteadyNs();
  std::string mine;
  for (const ToldRecords& told : news.told) WriteTold(told, mine);
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> all,
                            group_.AllGather(mine));
  std::vector<size_t> queued;
  for (const auto& queue : queues_) queued.push_back(queue.size());
  for (uint32_t host = 0; host < all.size(); ++host) {
    if (host != reader_.options().host) {
      PENSTOCK_RETURN_IF_ERROR(TakeTold(host, all[host]));
    }
  }
  if (reader_.options().deals) {
    PENSTOCK_RETURN_IF_ERROR(SendAll(news, queued));
  }
  for (ToldRecords& told : news.told) {
    queues_[reader_.options().host].push_back({.told = std::move(told)});
  }
  waited_ns_ += SteadyNs() - begin_ns;
  if (!Front().empty()) return OkStatus();
  return InternalError(fmt::format("host {} tells nothing of file {}",
                                   reader_.HostOf(unit_), unit_));
}

Status SharedSequence::TakeTold(uint32_t host, std::string_view bytes) {
  while (!bytes.empty()) {
    Queued queued;
    PENSTOCK_RETURN_IF_ERROR(
        ReadTold(host, reader_.options().hosts, bytes, queued.told));
    queues_[host].push_back(std::move(queued));
  }
  return OkStatus();
}

// The bytes of records that others decode go to them.
Status SharedSequence::SendAll(UnitNews& news,
                               const std::vector<size_t>& queued) {
  const uint32_t me = reader_.options().host;
  std::vector<std::string> to(queues_.size());
  for (ToldRecords& told : news.told) {
    size_t record = 0;
    for (const ToldRun& run : told.runs) {
      for (uint32_t i = 0; i < run.records; ++i, ++record) {
        if (run.host == me) continue;
        to[run.host].append(told.bytes[record]);
        told.bytes[record] = {};
      }
    }
  }
  news.sent = {};
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<std::string> from,
                            group_.Exchange(std::move(to)));
  for (uint32_t host = 0; host < from.size(); ++host) {
    if (host == me) continue;
    PENSTOCK_RETURN_IF_ERROR(
        TakeSent(host, queued[host], std::move(from[host])));
  }
  return OkStatus();
}

// Those of a host's queue from `first` on.
Status SharedSequence::TakeSent(uint32_t host, size_t first,
                                std::string bytes) {
  const auto memory = std::make_shared<const std::string>(std::move(bytes));
  std::string_view left = *memory;
  for (size_t i = first; i < queues_[host].size(); ++i) {
    ToldRecords& told = queues_[host][i].told;
    told.bytes.resize(told.sizes.size());
    told.memory = memory;
    size_t record = 0;
    for (const ToldRun& run : told.runs) {
      for (uint32_t r = 0; r < run.records; ++r, ++record) {
        const uint64_t size = told.sizes[record];
        if (run.host != reader_.options().host) continue;
        if (size > reader_.options().max_record_bytes) continue;
        if (size > left.size()) {
          return InternalError(
              fmt::format("the records that host {} sends are cut off", host));
        }
        told.bytes[record] = left.substr(0, size);
        left.remove_prefix(size);
      }
    }
  }
  return OkStatus();
}

uint64_t SharedSequence::BufferBytes() const {
  const UnitReaderOptions& options = reader_.options();
  const uint64_t told = options.ahead_bytes + options.max_record_bytes;
  // What is told of each record, and of each file.
  const uint64_t said =
      options.hosts * (40 * (options.ahead_records + 2 * kToldCost) + 1024);
  // What is being read, then as it is kept.
  const uint64_t read = told + told / 4 + (1 << 20) + told;
  if (!options.deals) return said + read;
  // What was read for others, and what they read for this one.
  return said + read + told + (1 << 20) + options.ahead_bytes +
         options.hosts * options.largest_dealt();
}

}  // namespace penstock
