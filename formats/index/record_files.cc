#include "formats/index/record_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/example/long_values.h"
#include "formats/files/function_ref.h"
#include "formats/files/memory_guard.h"
#include "formats/files/status_or.h"
#include "formats/index/long_record.h"
#include "formats/index/machine_memory.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

// Half of what a process usually may open.
size_t MostOpenFiles() { return std::min<size_t>(OpenFileBudget(), 512); }

// Of records that come after one that is waited for.
constexpr uint64_t kMostToldBytes = 8 << 20;

// FNV-1a; numbers go in as eight little endian bytes.
class Fnv1a {
 public:
  void Add(std::string_view bytes) {
    for (const char c : bytes) {
      hash_ = (hash_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
  }
  void Add(uint64_t number) {
    for (int i = 0; i < 8; ++i, number >>= 8) {
      hash_ = (hash_ ^ (number & 0xff)) * 0x100000001b3;
    }
  }
  uint64_t hash() const { return hash_; }

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

RecordFiles::RecordFiles(FileSystem& files) : open_(files, MostOpenFiles()) {}

StatusOr<std::unique_ptr<RecordFiles>> RecordFiles::Open(
    FileSystem& files, std::vector<std::string> paths,
    RecordFilesOptions options) {
  if (paths.empty()) {
    return InvalidArgumentError("no files to read records from");
  }
  using Opened = StatusOr<std::unique_ptr<RecordFiles>>;
  return GuardMemory(NoMemory(paths.front(), "open it"), [&]() -> Opened {
    std::unique_ptr<RecordFiles> opened(new RecordFiles(files));
    uint64_t plain_bytes = 0;
    for (size_t i = 0; i < paths.size(); ++i) {
      PENSTOCK_ASSIGN_OR_RETURN(RecordIndex index,
                                RecordIndex::Load(files, paths[i]));
      const FileInfo& file = index.file();
      opened->first_.push_back(opened->first_.back() + index.records());
      opened->size_bytes_ +=
          index.framed_bytes() - index.records() * kTfRecordFramingBytes;
      opened->open_.Add(paths[i], file);
      opened->warm_.Add(file.size_bytes);
      if (!index.in_gzip_members()) plain_bytes += file.size_bytes;
      opened->indexes_.push_back(std::move(index));
      // Files that cannot be read are better found now than in mid-run.
      PENSTOCK_RETURN_IF_ERROR(opened->open_.Get(i).status());
    }
    opened->most_mapped_bytes_ = std::min(
        plain_bytes, options.most_mapped_bytes.value_or(
                         MostMappedBytes(plain_bytes, MachineMemoryBytes())));
    opened->warm_.Allow(opened->most_mapped_bytes_);
    opened->no_memory_ = NoMemory(paths.front(), "gather records");
    opened->paths_ = std::move(paths);
    return opened;
  });
}

Status RecordFiles::PastTheEnd(uint64_t id) const {
  return OutOfRangeError(
      fmt::format("record {} is past the end: {} files from {} hold {} records",
                  id, paths_.size(), paths_.front(), records()));
}

std::optional<uint64_t> RecordFiles::TakeLong(uint64_t id, uint64_t most_bytes,
                                              std::span<const uint64_t> next,
                                              std::span<LongValue> values,
                                              ExampleRest& rest) const {
  if (id >= records()) return std::nullopt;
  const auto [file, number] = Find(id);
  const RecordIndex& index = indexes_[file];
  if (index.in_gzip_members()) return std::nullopt;
  const StatusOr<RecordPlace> place = index.Find(number);
  if (!place.ok() || place->size_bytes > most_bytes) return std::nullopt;
  const uint64_t end =
      place->offset + place->size_bytes + kTfRecordFramingBytes;
  const auto take = [&](LongRecord record) {
    return record.Begin(place->size_bytes) &&
           TakeLongValues(
               place->size_bytes, values,
               [&](std::span<char> to) { return record.Take(to); }, rest) &&
           record.Finish();
  };
  if (const char* const mapped = warm_.Find(file, place->offset, end)) {
    if (!take(LongRecord(mapped))) return std::nullopt;
    return place->size_bytes;
  }
  const auto open = open_.Get(file);
  if (!open.ok()) return std::nullopt;
  const auto tell = [&] {
    (*open)->WillRead(place->offset, end - place->offset);
    WillRead(next);
  };
  const FunctionRef<void()> awaits(tell);
  if (!take(LongRecord(**open, place->offset, awaits))) return std::nullopt;
  warm_.WasRead(file, **open, place->offset, end);
  return place->size_bytes;
}

// Tells devices of records, as many as keep them busy.
void RecordFiles::WillRead(std::span<const uint64_t> ids) const {
  uint64_t left = kMostToldBytes;
  for (const uint64_t id : ids) {
    if (id >= records()) return;
    const auto [file, number] = Find(id);
    const RecordIndex& index = indexes_[file];
    if (index.in_gzip_members()) return;
    const StatusOr<RecordPlace> place = index.Find(number);
    if (!place.ok() || place->size_bytes > left) return;
    left -= place->size_bytes;
    const auto open = open_.Get(file);
    if (!open.ok()) return;
    (*open)->WillRead(place->offset, place->size_bytes + kTfRecordFramingBytes);
  }
}

bool RecordFiles::HasLengths(std::string_view name) const {
  return std::all_of(
      indexes_.begin(), indexes_.end(),
      [&](const RecordIndex& index) { return index.HasColumn(name); });
}

StatusOr<std::vector<std::span<const uint32_t>>> RecordFiles::Lengths(
    std::string_view name) const {
  std::vector<std::span<const uint32_t>> lengths;
  lengths.reserve(indexes_.size());
  for (size_t i = 0; i < indexes_.size(); ++i) {
    auto column = indexes_[i].Lengths(name);
    if (!column.ok()) return Annotate(column.status(), paths_[i]);
    lengths.push_back(*column);
  }
  return lengths;
}

std::pair<size_t, uint64_t> RecordFiles::Find(uint64_t id) const {
  // The last file that begins at or before `id`: files without records begin
  // where their successor does.
  const auto after = std::upper_bound(first_.begin(), first_.end(), id);
  const size_t file = after - first_.begin() - 1;
  return {file, id - first_[file]};
}

size_t RecordFiles::FindNear(uint64_t id, size_t near) const {
  return id - first_[near] < first_[near + 1] - first_[near] ? near
                                                             : Find(id).first;
}

std::string RecordFiles::Locate(uint64_t id) const {
  if (id >= records()) return fmt::format("record {}, past the end", id);
  const auto [file, number] = Find(id);
  std::string where;
  if (indexes_[file].in_gzip_members()) {
    const auto member = indexes_[file].FindMember(number);
    if (member.ok()) {
      where = fmt::format(" in the gzip member at compressed offset {}",
                          member->begin.offset);
    }
  } else {
    const auto place = indexes_[file].Find(number);
    if (place.ok()) where = fmt::format(" at offset {}", place->offset);
  }
  return fmt::format("{}: record {}{}", paths_[file], number, where);
}

uint64_t RecordFiles::Fingerprint() const {
  Fnv1a hash;
  hash.Add(paths_.size());
  for (size_t i = 0; i < paths_.size(); ++i) {
    const std::string_view name =
        std::string_view(paths_[i]).substr(paths_[i].rfind('/') + 1);
    hash.Add(name.size());
    hash.Add(name);
    hash.Add(indexes_[i].file().size_bytes);
    hash.Add(indexes_[i].records());
    hash.Add(uint64_t{indexes_[i].file_sample()});
  }
  return hash.hash();
}

}  // namespace penstock
