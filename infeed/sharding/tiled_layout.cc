#include "infeed/sharding/tiled_layout.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr int64_t kLanes = 128;
constexpr int64_t kSublanes = 8;
constexpr int64_t kWordBytes = 4;
// Before this one tiles have two rows at least.
constexpr int kFirstCompact = 4;
// From this one on rows of small elements fill a tile of whole words.
constexpr int kFirstLarge = 7;

int64_t StoredBytes(ElementType type) {
  return type == ElementType::kBool ? kWordBytes
                                    : static_cast<int64_t>(SizeBytes(type));
}

int64_t TilesOf(int64_t size, int64_t tile) { return (size + tile - 1) / tile; }

}  // namespace

std::vector<int64_t> TileOf(ElementType type, std::span<const int64_t> shape,
                            int generation) {
  const int64_t bytes = StoredBytes(type);
  const int64_t packing = std::max<int64_t>(kWordBytes / bytes, 1);
  const int64_t least = packing * (generation < kFirstCompact ? 2 : 1);
  if (shape.size() < 2) return {least * kLanes};
  const bool large = generation >= kFirstLarge || bytes == 1;
  const int64_t most = std::min(shape[shape.size() - 2],
                                large ? kSublanes * packing : kSublanes);
  int64_t rows = least;
  while (rows < most) rows *= 2;
  return {rows, kLanes};
}

uint64_t TiledBytes(ElementType type, std::span<const int64_t> shape,
                    int generation) {
  std::vector<int64_t> tile(shape.size(), 1);
  auto bytes = static_cast<int64_t>(SizeBytes(type));
  if (generation != 0) {
    std::ranges::copy_backward(TileOf(type, shape, generation), tile.end());
    bytes = StoredBytes(type);
  }
  for (size_t d = 0; d < shape.size(); ++d) {
    bytes *= TilesOf(shape[d], tile[d]) * tile[d];
  }
  return static_cast<uint64_t>(bytes);
}

uint64_t TiledBytes(const Contract& contract, const SliceCuts& cuts,
                    size_t shape, int generation) {
  uint64_t bytes = 0;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    bytes += TiledBytes(contract.tensors[t].type, cuts.of_shape[shape][t].shard,
                        generation);
  }
  return bytes;
}

uint64_t TiledIndex(std::span<const int64_t> index,
                    std::span<const int64_t> shape,
                    std::span<const int64_t> tile) {
  uint64_t of_tile = 0;
  uint64_t within = 0;
  uint64_t size = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    const size_t untiled = shape.size() - tile.size();
    const int64_t t = d < untiled ? 1 : tile[d - untiled];
    of_tile = of_tile * static_cast<uint64_t>(TilesOf(shape[d], t)) +
              static_cast<uint64_t>(index[d] / t);
    within =
        within * static_cast<uint64_t>(t) + static_cast<uint64_t>(index[d] % t);
    size *= static_cast<uint64_t>(t);
  }
  return of_tile * size + within;
}

}  // namespace penstock
