#include "tools/datagen/index_spool.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace penstock {
namespace {

constexpr uint64_t kEntryBytes = sizeof(uint64_t) + sizeof(uint32_t);
// Shorter runs would be many small reads.
constexpr uint64_t kLeastRun = 64;

template <typename T>
std::string_view BytesOfAll(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

}  // namespace

IndexSpool::IndexSpool(FileSystem& files, std::string path, uint32_t shards,
                       uint64_t buffer_bytes)
    : files_(files),
      path_(std::move(path)),
      shards_(shards),
      run_(std::max(kLeastRun, buffer_bytes / (kEntryBytes * shards))),
      offsets_(run_ * shards),
      lengths_(run_ * shards) {}

Status IndexSpool::Add(uint64_t offset, uint32_t length) {
  const uint64_t in_block = records_ % (run_ * shards_);
  const uint64_t place = in_block % shards_ * run_ + in_block / shards_;
  offsets_[place] = offset;
  lengths_[place] = length;
  ++records_;
  return in_block + 1 == run_ * shards_ ? Spill() : OkStatus();
}

Status IndexSpool::Spill() {
  if (out_ == nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(out_, files_.OpenForWrite(path_));
    auto in = files_.OpenForRead(path_);
    PENSTOCK_RETURN_IF_ERROR(files_.Remove(path_));
    PENSTOCK_ASSIGN_OR_RETURN(in_, std::move(in));
  }
  PENSTOCK_RETURN_IF_ERROR(out_->Append(BytesOfAll(offsets_)));
  PENSTOCK_RETURN_IF_ERROR(out_->Append(BytesOfAll(lengths_)));
  ++blocks_;
  return OkStatus();
}

uint64_t IndexSpool::records_of(uint32_t shard) const {
  return records_ / shards_ + (shard < records_ % shards_ ? 1 : 0);
}

template <typename T>
Status IndexSpool::Each(uint32_t shard, uint64_t begin,
                        const std::vector<T>& held,
                        FunctionRef<Status(std::span<const T>)> take) const {
  std::vector<T> run(run_);
  const std::span<char> bytes(reinterpret_cast<char*>(run.data()),
                              run_ * sizeof(T));
  for (uint64_t block = 0; block < blocks_; ++block) {
    const uint64_t place =
        block * run_ * shards_ * kEntryBytes + begin + shard * run_ * sizeof(T);
    PENSTOCK_ASSIGN_OR_RETURN(const size_t got, in_->ReadAt(place, bytes));
    if (got < bytes.size()) {
      return DataLossError(path_ + ": was cut off while it was in use");
    }
    PENSTOCK_RETURN_IF_ERROR(take(run));
  }
  const uint64_t left = records_of(shard) - blocks_ * run_;
  return take({held.data() + shard * run_, left});
}

Status IndexSpool::EachOffset(
    uint32_t shard, FunctionRef<Status(std::span<const uint64_t>)> take) const {
  return Each<uint64_t>(shard, 0, offsets_, take);
}

Status IndexSpool::EachLength(
    uint32_t shard, FunctionRef<Status(std::span<const uint32_t>)> take) const {
  return Each<uint32_t>(shard, run_ * shards_ * sizeof(uint64_t), lengths_,
                        take);
}

}  // namespace penstock
