#include "tools/recordtool/dataset_proof.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>

#include "formats/datasets/tfds_folder.h"
#include "formats/files/file_sample.h"
#include "formats/files/status_or.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock {
namespace {

Status ProveIndex(FileSystem& files, const DatasetShards& shards, size_t i,
                  const FileScan& scan) {
  const StatusOr<RecordIndex> index = RecordIndex::Load(files, scan.path);
  if (IsNotFound(index.status())) return OkStatus();
  PENSTOCK_RETURN_IF_ERROR(index.status());
  PENSTOCK_RETURN_IF_ERROR(index->VerifyAll());
  if (index->records() != scan.records) {
    return DataLossError(fmt::format(
        "{}: holds {} records, but {} by its index; run: recordtool index {}",
        scan.path, scan.records, index->records(), scan.path));
  }
  return shards.Check(i, {.size_bytes = index->file().size_bytes,
                          .sample = index->file_sample(),
                          .records = index->records()});
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Status ProveSplits(const std::string& folder, const TfdsInfo& info,
                   const std::map<std::string, uint64_t>& records) {
  for (const TfdsSplit& split : info.splits) {
    for (size_t i = 0; i < split.shards.size(); ++i) {
      const auto found = records.find(split.shards[i]);
      if (found == records.end() || found->second == split.shard_records[i]) {
        continue;
      }
      return DataLossError(fmt::format(
          "{}/{}: holds {} records, but {} by {}/dataset_info.json", folder,
          split.shards[i], found->second, split.shard_records[i], folder));
    }
  }
  return OkStatus();
}

}  // namespace

Status ProveShard(FileSystem& files, const DatasetShards& shards, size_t i,
                  const FileScan& scan) {
  const ManifestShard* const listed = shards.Listed(i);
  if (listed != nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForRead(scan.path));
    ShardFacts facts = {.size_bytes = scan.file_bytes};
    PENSTOCK_ASSIGN_OR_RETURN(facts.sample, SampleFile(*file, scan.file_bytes));
    PENSTOCK_RETURN_IF_ERROR(shards.Check(i, facts));
    if (scan.records != listed->records) {
      return shards.Differs(i, fmt::format("holds {} records, but {}",
                                           scan.records, listed->records));
    }
    if (listed->records_crc32c &&
        scan.chain.value() != *listed->records_crc32c) {
      return shards.Differs(
          i, fmt::format("holds other records, or in another order (checksum "
                         "{:08x}, but {:08x})",
                         scan.chain.value(), *listed->records_crc32c));
    }
    // The records with their framing are all of an uncompressed file.
    const uint64_t framed =
        scan.record_bytes + scan.records * kTfRecordFramingBytes;
    if (!listed->records_crc32c || framed != scan.file_bytes) {
      PENSTOCK_ASSIGN_OR_RETURN(const uint32_t crc,
                                ChecksumOfFile(*file, scan.file_bytes));
      if (crc != listed->crc32c) {
        return shards.Differs(i,
                              fmt::format("has other bytes (checksum {:08x}, "
                                          "but {:08x})",
                                          crc, listed->crc32c));
      }
    }
  }
  return ProveIndex(files, shards, i, scan);
}

Status ProveTfds(FileSystem& files, const std::vector<FileScan>& scans) {
  std::map<std::string, std::map<std::string, uint64_t>> folders;
  for (const FileScan& scan : scans) {
    folders[ParentOf(scan.path)][scan.path.substr(scan.path.rfind('/') + 1)] =
        scan.records;
  }
  for (const auto& [folder, records] : folders) {
    const StatusOr<TfdsInfo> info = TfdsInfo::Load(files, folder);
    if (IsNotFound(info.status())) continue;
    PENSTOCK_RETURN_IF_ERROR(info.status());
    PENSTOCK_RETURN_IF_ERROR(ProveSplits(folder, *info, records));
  }
  return OkStatus();
}

}  // namespace penstock
