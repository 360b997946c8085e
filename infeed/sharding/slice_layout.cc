#include "infeed/sharding/slice_layout.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace penstock {
namespace {

void FillWithPad(std::span<const std::byte> pad, std::span<std::byte> out) {
  for (size_t at = 0; at < out.size(); at += pad.size()) {
    std::ranges::copy(pad, out.begin() + static_cast<ptrdiff_t>(at));
  }
}

}  // namespace

std::vector<int64_t> DenseStrides(const std::vector<int64_t>& shape,
                                  uint64_t element_bytes) {
  std::vector<int64_t> strides(shape.size());
  auto stride = static_cast<int64_t>(element_bytes);
  for (size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

SliceLayout LayoutOf(const std::vector<int64_t>& shape,
                     const std::vector<IndexRange>& block,
                     uint64_t element_bytes) {
  assert(block.size() == shape.size());
  SliceLayout layout{.strides_bytes = DenseStrides(shape, element_bytes)};
  uint64_t elements = 1;
  for (const IndexRange& range : block) {
    elements *= static_cast<uint64_t>(range.size());
  }
  if (elements == 0) return layout;
  int64_t last = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    layout.offset_bytes +=
        static_cast<uint64_t>(block[d].begin * layout.strides_bytes[d]);
    last += (block[d].end - 1) * layout.strides_bytes[d];
  }
  layout.span_bytes =
      static_cast<uint64_t>(last) + element_bytes - layout.offset_bytes;
  // A run takes the last dimensions as far as they are whole, and the part of
  // the one before them.
  layout.run_bytes = element_bytes;
  size_t d = shape.size();
  while (d-- > 0) {
    layout.run_bytes *= static_cast<uint64_t>(block[d].size());
    if (block[d].size() != shape[d]) break;
  }
  layout.runs = elements * element_bytes / layout.run_bytes;
  return layout;
}

void PackBlock(std::span<const std::byte> first, std::span<const int64_t> sizes,
               std::span<const int64_t> strides_bytes,
               std::span<const int64_t> shard, std::span<const std::byte> pad,
               std::span<std::byte> out) {
  const std::vector<int64_t> strides =
      DenseStrides({shard.begin(), shard.end()}, pad.size());
  uint64_t bytes = pad.size();
  for (const int64_t size : sizes) bytes *= static_cast<uint64_t>(size);
  if (bytes != out.size()) FillWithPad(pad, out);
  if (bytes == 0) return;
  // Runs are counted over the dimensions in front of theirs.
  size_t rank = sizes.size();
  uint64_t run_bytes = pad.size();
  while (rank > 0) {
    const auto stride = static_cast<int64_t>(run_bytes);
    if (strides_bytes[rank - 1] != stride || strides[rank - 1] != stride) break;
    --rank;
    run_bytes *= static_cast<uint64_t>(sizes[rank]);
  }
  std::vector<int64_t> at(rank, 0);
  int64_t source = 0;
  int64_t target = 0;
  while (true) {
    std::memcpy(out.data() + target, first.data() + source, run_bytes);
    size_t d = rank;
    while (true) {
      if (d == 0) return;
      --d;
      source += strides_bytes[d];
      target += strides[d];
      if (++at[d] < sizes[d]) break;
      source -= strides_bytes[d] * at[d];
      target -= strides[d] * at[d];
      at[d] = 0;
    }
  }
}

}  // namespace penstock
