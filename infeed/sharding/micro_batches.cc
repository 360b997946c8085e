#include "infeed/sharding/micro_batches.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "infeed/sharding/slice_layout.h"

namespace penstock {
namespace {

std::vector<int64_t> StridesOfView(const TensorView& view) {
  return view.strides_bytes.empty()
             ? DenseStrides(view.shape, SizeBytes(view.spec->type))
             : view.strides_bytes;
}

}  // namespace

StatusOr<MicroBatches> PlanMicroBatches(int64_t rows, uint32_t shards,
                                        int64_t count,
                                        MicroBatchLayout layout) {
  if (count < 1) {
    return InvalidArgumentError(
        fmt::format("a batch in {} parts; it has at least one", count));
  }
  if (rows < 1 || shards < 1 || rows % shards != 0 ||
      (rows / shards) % count != 0) {
    return InvalidArgumentError(fmt::format(
        "{} rows on {} shards in {} parts: every part of every shard needs "
        "the same number of rows, so rows must be a multiple of {} x {}",
        rows, shards, count, shards, count));
  }
  if (layout == MicroBatchLayout::kContiguous && shards > 1 && count > 1) {
    return InvalidArgumentError(fmt::format(
        "contiguous parts: part 0 is rows [0, {}), which {} of {} shards "
        "have; the others would wait, or rows would have to move between "
        "devices in every step. Use blocked or strided parts, which take rows "
        "from every shard",
        rows / count, (shards + count - 1) / count, shards));
  }
  return MicroBatches{
      .count = count, .layout = layout, .rows = rows, .shards = shards};
}

std::vector<int64_t> MicroBatches::RowsOf(int64_t k) const {
  const int64_t rows_of_shard = rows / shards;
  const int64_t each = rows_of_shard / count;
  std::vector<int64_t> part;
  for (int64_t shard = 0; shard < shards; ++shard) {
    for (int64_t i = 0; i < each; ++i) {
      part.push_back(shard * rows_of_shard +
                     (layout == MicroBatchLayout::kStrided ? i * count + k
                                                           : k * each + i));
    }
  }
  return part;
}

TensorView MicroBatches::ViewOf(const TensorView& tensor, int64_t k) const {
  TensorView part = tensor;
  std::vector<int64_t> strides = StridesOfView(tensor);
  const int64_t each = tensor.shape[0] / count;
  const bool strided = layout == MicroBatchLayout::kStrided && count > 1;
  const int64_t begin = (strided ? k : k * each) * strides[0];
  part.shape[0] = each;
  if (!part.padded_shape.empty()) part.padded_shape[0] = each;
  if (strided) strides[0] *= count;
  if (strided || !tensor.strides_bytes.empty()) part.strides_bytes = strides;
  int64_t last = 0;
  bool none = tensor.bytes.empty();
  for (size_t d = 0; d < part.shape.size(); ++d) {
    last += (part.shape[d] - 1) * strides[d];
    none = none || part.shape[d] == 0;
  }
  part.bytes = none ? tensor.bytes.first(0)
                    : tensor.bytes.subspan(static_cast<size_t>(begin),
                                           static_cast<size_t>(last) +
                                               SizeBytes(tensor.spec->type));
  return part;
}

std::string_view MicroBatchLayoutName(MicroBatchLayout layout) {
  switch (layout) {
    case MicroBatchLayout::kBlocked:
      return "blocked";
    case MicroBatchLayout::kStrided:
      return "strided";
    case MicroBatchLayout::kContiguous:
      return "contiguous";
  }
  return "";
}

TensorView BroadcastBetween(const TensorView& rows,
                            const std::vector<int64_t>& between) {
  TensorView view = rows;
  const std::vector<int64_t> strides = StridesOfView(rows);
  const auto insert = [&](std::vector<int64_t>& sizes,
                          const std::vector<int64_t>& values) {
    sizes.insert(sizes.begin() + 1, values.begin(), values.end());
  };
  insert(view.shape, between);
  if (!view.padded_shape.empty()) insert(view.padded_shape, between);
  view.strides_bytes = strides;
  insert(view.strides_bytes, std::vector<int64_t>(between.size(), 0));
  return view;
}

}  // namespace penstock
