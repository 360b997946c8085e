#include "pipeline/read/unit_reader.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "pipeline/tasks/cancelled.h"

namespace penstock {

UnitReader::UnitReader(FileSystem& files, std::vector<std::string> paths,
                       OpenOptions open, UnitReaderOptions options)
    : files_(files),
      paths_(std::move(paths)),
      open_(std::move(open)),
      options_(options),
      dealt_to_(options.host) {
  StartAt({});
}

void UnitReader::StartAt(SequenceStart start) {
  start_ = std::move(start);
  BeginEpoch(start_.epoch);
}

void UnitReader::PassOver(uint64_t epoch) {
  if (epoch_ >= epoch) return;
  failure_ = OkStatus();
  BeginEpoch(epoch);
}

void UnitReader::BeginEpoch(uint64_t epoch) {
  epoch_ = epoch;
  unit_ = 0;
  entered_ = false;
  // With more hosts than files some read nothing.
  done_ = options_.host >= paths_.size();
  if (!done_ && (HostOf(unit_) != options_.host || !Visits(unit_))) GoToNext();
  done_ = done_ || (options_.epochs != 0 && epoch_ >= options_.epochs);
}

// Whether the epoch that is being read needs a unit.
bool UnitReader::Visits(uint64_t unit) const {
  if (epoch_ != start_.epoch || start_.units.empty()) return true;
  if (unit > start_.units.back().unit) return true;
  return std::ranges::binary_search(start_.units, unit, {}, &UnitPlace::unit);
}

void UnitReader::GoToNext() {
  do {
    if (++unit_ == paths_.size()) {
      unit_ = 0;
      ++epoch_;
    }
  } while (HostOf(unit_) != options_.host || !Visits(unit_));
  entered_ = false;
  done_ = options_.epochs != 0 && epoch_ >= options_.epochs;
}

// What is known of the records of the unit.
void UnitReader::EnterUnit() {
  entered_ = true;
  range_ = {};
  reader_.reset();
  block_ = {};
  used_ = 0;
  if (epoch_ != start_.epoch) return;
  const auto place =
      std::ranges::lower_bound(start_.units, unit_, {}, &UnitPlace::unit);
  if (place == start_.units.end() || place->unit != unit_) return;
  range_ = {.known = true, .id = place->first_record, .end = UINT64_MAX};
  if (std::next(place) == start_.units.end()) return;
  // All that is needed of it comes before that of the next one.
  const auto behind =
      std::ranges::lower_bound(start_.needed, std::next(place)->first_record);
  range_.end = behind == start_.needed.begin() ? 0 : *std::prev(behind) + 1;
}

// Whether the next record of the unit is needed, as far as is known.
bool UnitReader::Needs() const {
  return !range_.known || range_.id >= start_.end ||
         std::ranges::binary_search(start_.needed, range_.id);
}

StatusOr<std::optional<std::string_view>> UnitReader::NextRecord() {
  if (range_.known && range_.id >= range_.end) return std::nullopt;
  if (reader_ == nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(reader_,
                              OpenRecords(files_, paths_[unit_], open_));
  }
  if (used_ == block_.records.size()) {
    used_ = 0;
    block_ = {};
    PENSTOCK_ASSIGN_OR_RETURN(const std::optional<RecordBlock> block,
                              reader_->NextBlock());
    if (!block) return std::nullopt;
    block_ = *block;
  }
  return std::optional<std::string_view>(block_.records[used_++]);
}

bool UnitReader::Full(const UnitNews& news, uint64_t bytes,
                      uint64_t records) const {
  return bytes + news.bytes >= options_.ahead_bytes ||
         records + news.records >= options_.ahead_records;
}

StatusOr<UnitNews> UnitReader::ReadOn(uint64_t bytes, uint64_t records,
                                      const std::stop_token& stop) {
  UnitNews news;
  while (!done_ && failure_.ok() && !Full(news, bytes, records)) {
    PENSTOCK_RETURN_IF_ERROR(ReadUnit(bytes, records, stop, news));
  }
  return news;
}

Status UnitReader::ReadUnit(uint64_t bytes, uint64_t records,
                            const std::stop_token& stop, UnitNews& news) {
  if (!entered_) EnterUnit();
  ToldRecords told;
  told.epoch = epoch_;
  told.unit = unit_;
  RecordBytes kept;
  news.records += kToldCost;
  do {
    if (stop.stop_requested()) return PipelineCancelled();
    const auto record = NextRecord();
    if (!record.ok()) {
      failure_ = record.status();
      told.failed = true;
    } else if (record->has_value()) {
      Tell(**record, kept, told, news);
      continue;
    } else {
      told.ends_unit = true;
    }
    break;
  } while (!Full(news, bytes, records));
  Keep(told);
  const bool ended = told.ends_unit;
  news.told.push_back(std::move(told));
  if (ended) GoToNext();
  return OkStatus();
}

void UnitReader::Tell(std::string_view record, RecordBytes& kept,
                      ToldRecords& told, UnitNews& news) {
  // One that is passed over is told as empty.
  const uint64_t size = Needs() ? record.size() : 0;
  if (range_.known) ++range_.id;
  if (size == 0 || size > options_.max_record_bytes) record = {};
  const uint32_t host = Deal(record.size());
  if (told.runs.empty() || told.runs.back().host != host) {
    told.runs.push_back({.host = host, .records = 0});
  }
  ++told.runs.back().records;
  told.sizes.push_back(size);
  RecordBytes& memory = host == options_.host ? kept : news.sent;
  told.bytes.push_back(memory.Add(record));
  news.bytes += record.size();
  ++news.records;
}

// What this host decodes goes to memory of just its size, as a little of each
// file may wait for long.
void UnitReader::Keep(ToldRecords& told) const {
  uint64_t size = 0;
  const auto for_mine = [&](const auto& take) {
    size_t record = 0;
    for (const ToldRun& run : told.runs) {
      for (uint32_t i = 0; i < run.records; ++i, ++record) {
        if (run.host == options_.host) take(told.bytes[record]);
      }
    }
  };
  for_mine([&](std::string_view bytes) { size += bytes.size(); });
  const std::shared_ptr<char[]> memory =
      std::make_shared_for_overwrite<char[]>(size);
  char* to = memory.get();
  for_mine([&](std::string_view& bytes) {
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    bytes = {to, bytes.size()};
    to += bytes.size();
  });
  told.memory = memory;
}

uint32_t UnitReader::Deal(uint64_t size_bytes) {
  if (!options_.deals || size_bytes > options_.largest_dealt()) {
    return options_.host;
  }
  if (dealt_records_ == options_.deal_records ||
      (dealt_records_ > 0 && dealt_bytes_ + size_bytes > options_.deal_bytes)) {
    dealt_to_ = (dealt_to_ + 1) % options_.hosts;
    dealt_bytes_ = 0;
    dealt_records_ = 0;
  }
  dealt_bytes_ += size_bytes;
  ++dealt_records_;
  return dealt_to_;
}

}  // namespace penstock
