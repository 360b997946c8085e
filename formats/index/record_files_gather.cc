// Gathering records of several files, those that are in memory first.
#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "formats/index/record_files.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Far enough ahead for the memory of an index to answer.
constexpr size_t kPlacesAhead = 32;

}  // namespace

StatusOr<GatherBound> RecordFiles::FindWithin(
    std::span<const uint64_t> ids, uint64_t limit_bytes,
    std::vector<FoundRecord>& found) const {
  found.clear();
  std::array<std::pair<size_t, uint64_t>, kPlacesAhead> ahead;
  size_t asked = 0;
  size_t near = 0;  // the file of the one before
  GatherBound bound;
  std::set<std::pair<size_t, uint64_t>> members;  // that were counted
  for (size_t i = 0; i < ids.size(); ++i) {
    for (; asked < std::min(ids.size(), i + kPlacesAhead); ++asked) {
      if (ids[asked] >= records()) return PastTheEnd(ids[asked]);
      near = FindNear(ids[asked], near);
      ahead[asked % kPlacesAhead] = {near, ids[asked] - first_[near]};
      indexes_[near].Prefetch(ids[asked] - first_[near]);
    }
    const auto [file, number] = ahead[i % kPlacesAhead];
    uint64_t bytes = 0;
    FoundRecord& record = found.emplace_back();
    record.id = ids[i];
    record.file = file;
    record.number = number;
    if (indexes_[file].in_gzip_members()) {
      PENSTOCK_ASSIGN_OR_RETURN(const GzipMemberRange member,
                                indexes_[file].FindMember(number));
      if (members.emplace(file, member.begin.offset).second) {
        bytes = member.end.framed_offset - member.begin.framed_offset;
      }
    } else {
      PENSTOCK_ASSIGN_OR_RETURN(record.place, indexes_[file].Find(number));
      bytes = record.place.size_bytes;
    }
    if (bound.records > 0 && bound.bytes + bytes > limit_bytes) {
      found.pop_back();
      break;
    }
    ++bound.records;
    bound.bytes += bytes;
  }
  return bound;
}

Status RecordFiles::Gather(std::span<const uint64_t> ids,
                           GatheredRecords& out) const {
  out.records.clear();
  return GuardMemory(no_memory_, [&]() -> Status {
    std::vector<FoundRecord> found;
    PENSTOCK_RETURN_IF_ERROR(FindWithin(ids, UINT64_MAX, found).status());
    return GatherFound(found, out);
  });
}

Status RecordFiles::GatherFound(std::span<const FoundRecord> found,
                                GatheredRecords& out) const {
  Status status = GuardMemory(no_memory_, [&]() -> Status {
    FindWarm(found, out.records);
    const size_t end = CopyWarmRecords(out.records, out.bytes);
    std::vector<WantedRecord> others;
    for (size_t slot = 0; slot < found.size(); ++slot) {
      if (out.records[slot].data() != nullptr) continue;
      const FoundRecord& record = found[slot];
      others.push_back({.slot = slot,
                        .file = record.file,
                        .number = record.number,
                        .offset = record.place.offset,
                        .size_bytes = record.place.size_bytes});
    }
    return others.empty() ? OkStatus() : GatherOthers(others, end, out);
  });
  if (!status.ok()) out.records.clear();
  return status;
}

void RecordFiles::FindWarm(std::span<const FoundRecord> found,
                           std::vector<std::string_view>& framed) const {
  framed.assign(found.size(), {});
  WarmFile warm;
  size_t of = indexes_.size();  // the file that it is
  for (size_t slot = 0; slot < found.size(); ++slot) {
    const auto& [id, file, number, place] = found[slot];
    if (indexes_[file].in_gzip_members()) continue;
    if (file != of) warm = warm_.Get(of = file);
    const uint64_t size = place.size_bytes + kTfRecordFramingBytes;
    const char* const from = warm.Find(place.offset, place.offset + size);
    if (from != nullptr) framed[slot] = {from, size};
  }
}

Status RecordFiles::GatherOthers(std::span<WantedRecord> others, size_t end,
                                 GatheredRecords& out) const {
  const auto place = [](const WantedRecord& record) {
    return std::tuple(record.file, record.number, record.slot);
  };
  std::ranges::sort(others, {}, place);
  // Files of one kind that follow each other at once.
  for (size_t begin = 0; begin < others.size();) {
    const bool in_members = indexes_[others[begin].file].in_gzip_members();
    size_t after = begin;
    while (after < others.size() &&
           indexes_[others[after].file].in_gzip_members() == in_members) {
      ++after;
    }
    const auto some = others.subspan(begin, after - begin);
    PENSTOCK_RETURN_IF_ERROR(
        in_members ? GatherFromMembers(open_, indexes_, some, out.buffers,
                                       out.bytes, end)
                   : GatherRecords(open_, warm_, some, out.bytes, end));
    begin = after;
  }
  // The bytes may have moved; what was copied lies there in order.
  size_t copied = 0;
  for (std::string_view& record : out.records) {
    if (record.data() == nullptr) continue;
    record = {out.bytes.data() + copied, record.size()};
    copied += record.size();
  }
  for (const WantedRecord& record : others) {
    out.records[record.slot] = {out.bytes.data() + record.place,
                                record.size_bytes};
  }
  return OkStatus();
}

}  // namespace penstock
