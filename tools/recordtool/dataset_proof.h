// Holds what was read of a dataset against what is written about it.
#pragma once

#include <cstddef>
#include <vector>

#include "formats/datasets/dataset_shards.h"
#include "formats/files/file.h"
#include "formats/files/status.h"
#include "tools/recordtool/record_scan.h"

namespace penstock {

// What is wrong with shards.paths()[i], which was read as `scan` (with its
// chain) and found without damage: that its size, its records or their order
// are not those of its manifest, or that its index is of another file or
// damaged. What an index says of lengths is held against its own checksums
// alone.
// Errors:  kDataLoss, kFailedPrecondition: as DatasetShards::Check() and
//          RecordIndex::Load().
// Cost:    reads the index; reads the file again where it is compressed or the
//          manifest is an older one.
Status ProveShard(FileSystem& files, const DatasetShards& shards, size_t i,
                  const FileScan& scan);

// The same of the dataset_info.json beside the files that `scans` are of.
Status ProveTfds(FileSystem& files, const std::vector<FileScan>& scans);

}  // namespace penstock
