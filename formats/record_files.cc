#include "formats/record_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/record_gather.h"
#include "formats/status.h"
#include "formats/tfrecord_framing.h"

namespace penstock {
namespace {

// Half of what a process usually may open.
constexpr size_t kMostOpenFiles = 512;

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

RecordFiles::RecordFiles(FileSystem& files) : open_(files, kMostOpenFiles) {}

absl::StatusOr<std::unique_ptr<RecordFiles>> RecordFiles::Open(
    FileSystem& files, std::vector<std::string> paths) {
  if (paths.empty()) {
    return absl::InvalidArgumentError("no files to read records from");
  }
  std::unique_ptr<RecordFiles> opened(new RecordFiles(files));
  for (size_t i = 0; i < paths.size(); ++i) {
    PENSTOCK_ASSIGN_OR_RETURN(RecordIndex index,
                              RecordIndex::Load(files, paths[i]));
    const FileInfo& file = index.file();
    opened->first_.push_back(opened->first_.back() + index.records());
    opened->size_bytes_ +=
        file.size_bytes - index.records() * kTfRecordFramingBytes;
    opened->open_.Add(paths[i], file);
    opened->indexes_.push_back(std::move(index));
    // Files that cannot be read are better found now than in mid-run.
    PENSTOCK_RETURN_IF_ERROR(opened->open_.Get(i).status());
  }
  opened->paths_ = std::move(paths);
  return opened;
}

absl::Status RecordFiles::Gather(std::span<const uint64_t> ids,
                                 GatheredRecords& out) const {
  out.records.clear();
  std::vector<WantedRecord> wanted(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] >= records()) {
      return absl::OutOfRangeError(fmt::format(
          "record {} is past the end: {} files from {} hold {} records", ids[i],
          paths_.size(), paths_.front(), records()));
    }
    wanted[i] = {.id = ids[i], .slot = i};
  }
  std::sort(
      wanted.begin(), wanted.end(),
      [](const WantedRecord& a, const WantedRecord& b) { return a.id < b.id; });
  size_t file = 0;
  for (WantedRecord& record : wanted) {
    if (record.id >= first_[file + 1]) file = Find(record.id).first;
    const uint64_t number = record.id - first_[file];
    record.file = file;
    record.number = number;
    record.offset = indexes_[file].offset(number);
    record.size_bytes = indexes_[file].size_bytes(number);
  }
  absl::Status status = GatherRecords(open_, wanted, out);
  if (!status.ok()) out.records.clear();
  return status;
}

bool RecordFiles::HasLengths(std::string_view name) const {
  return std::all_of(indexes_.begin(), indexes_.end(),
                     [&](const RecordIndex& index) {
                       return index.FindColumn(name) != nullptr;
                     });
}

std::vector<std::span<const uint32_t>> RecordFiles::Lengths(
    std::string_view name) const {
  std::vector<std::span<const uint32_t>> lengths;
  lengths.reserve(indexes_.size());
  for (const RecordIndex& index : indexes_) {
    const LengthColumn* column = index.FindColumn(name);
    lengths.emplace_back();
    if (column != nullptr) lengths.back() = column->lengths;
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

std::string RecordFiles::Locate(uint64_t id) const {
  if (id >= records()) return fmt::format("record {}, past the end", id);
  const auto [file, number] = Find(id);
  return fmt::format("{}: record {} at offset {}", paths_[file], number,
                     indexes_[file].offset(number));
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
  }
  return hash.hash();
}

}  // namespace penstock
