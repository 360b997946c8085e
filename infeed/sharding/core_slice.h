// What one device takes of one batch: views, no copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/contract.h"

namespace penstock {

struct SliceCuts;  // infeed/sharding/slice_cuts.h

// One tensor of a slice, row-major. Lives as long as the slice.
struct TensorView {
  const TensorSpec* spec = nullptr;
  std::vector<int64_t> shape = {};
  std::span<const std::byte> bytes = {};  // from its first to its last element
  // Between neighbours along each dimension; empty where they are dense.
  std::vector<int64_t> strides_bytes = {};
  // Of the whole shard, where this one is cut short: what lacks is padding.
  // Empty where nothing lacks.
  std::vector<int64_t> padded_shape = {};

  bool dense() const { return strides_bytes.empty() && padded_shape.empty(); }
  uint64_t packed_bytes() const;
  // A copy of packed_bytes(), without gaps; padding is zeros.
  void PackTo(std::span<std::byte> out) const;
  // Only of a dense view.
  template <typename T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
};

struct SliceRows {
  int64_t begin = 0;
  int64_t count = 0;
};

// Which rows of a host's batch go where.
struct SlicePlace {
  uint32_t device = 0;
  uint32_t shard = 0;
  int64_t row_begin = 0;  // within the host's batch
  int64_t rows = 0;
  // [shapes], instead of these two where shapes have other rows; else null.
  std::shared_ptr<const std::vector<SliceRows>> of_shape = nullptr;
  // Where tensors have shardings of their own; null where each has these rows.
  std::shared_ptr<const SliceCuts> cuts = nullptr;
};

// Rows of a batch for one device. Copies are cheap and share the batch, which
// lives as long as the last of them.
class CoreSlice {
 public:
  // Errors:  kInternal where the batch is not what the contract declares: a
  //          device that trusts the declared shape would read other bytes than
  //          the host meant.
  static StatusOr<CoreSlice> Create(std::shared_ptr<const Batch> batch,
                                    std::shared_ptr<const Contract> contract,
                                    SlicePlace place);

  // The same slice of `same`, which is this batch but perhaps without bytes.
  CoreSlice Of(std::shared_ptr<const Batch> same) const;
  // The same slice where its rows are all that `rows` has.
  CoreSlice AllOf(std::shared_ptr<const Batch> rows) const;

  // False of one that only tells what was in a batch; its tensors are empty.
  bool has_bytes() const { return batch_->memory != nullptr; }
  // False where a tensor has a sharding of its own.
  bool is_cut_by_rows() const { return place_.cuts == nullptr; }

  uint32_t device() const { return place_.device; }
  uint32_t shard() const { return place_.shard; }
  uint64_t step() const { return batch_->step; }
  uint64_t epoch() const { return batch_->epoch; }
  // Number of the shape in Contract::lengths.
  size_t shape() const { return batch_->shape; }
  int64_t rows() const { return place_.rows; }
  // Of what the device gets, padding included.
  uint64_t size_bytes() const { return size_bytes_; }

  // The records of all rows, in order; rows that pad have none.
  std::span<const uint64_t> record_ids() const;
  // [record_ids], or empty: see Batch.
  std::span<const uint32_t> record_begins() const;
  // [rows + 1]: those of row r are [row_offsets[r], row_offsets[r + 1]),
  // counted from row_offsets[0].
  std::span<const uint32_t> row_offsets() const;
  uint64_t pad_rows() const;

  // What the device gets of tensor `t` of the contract.
  TensorView tensor(size_t t) const;
  // All of its values in the slice's rows, whatever its sharding: of accounts.
  TensorView WholeRows(size_t t) const;
  // nullopt where the contract has no tensor of that name.
  std::optional<TensorView> Find(std::string_view name) const;

  // All rows of this host, of which these are some.
  const Batch& batch() const { return *batch_; }
  const Contract& contract() const { return *contract_; }
  const State& state_after() const { return batch_->state_after; }

 private:
  CoreSlice(std::shared_ptr<const Batch> batch,
            std::shared_ptr<const Contract> contract, SlicePlace place);

  std::shared_ptr<const Batch> batch_;
  std::shared_ptr<const Contract> contract_;
  SlicePlace place_;
  uint64_t size_bytes_;
};

}  // namespace penstock
