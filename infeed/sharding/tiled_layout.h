// What arrays take on a TPU, where tiles pad them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "infeed/sharding/slice_cuts.h"
#include "pipeline/contract.h"

namespace penstock {

// The tile of the last dimensions of such an array: {rows, 128}, or {n} where
// it has one dimension. Elements of less than 4 bytes share words with the rows
// beside them; bool takes 4 bytes, int64 two words.
//
// Source:  openxla/xla docs/tiled_layout.md; jax/_src/tpu_info.py
// (infer_tiling,
//          get_sublane_tiling). A heuristic of theirs: flags of XLA change it.
std::vector<int64_t> TileOf(ElementType type, std::span<const int64_t> shape,
                            int generation);
// In bytes, the whole array with what pads its tiles; a generation of 0 has
// none.
uint64_t TiledBytes(ElementType type, std::span<const int64_t> shape,
                    int generation);
// Of all tensors of a device's slice of this shape.
uint64_t TiledBytes(const Contract& contract, const SliceCuts& cuts,
                    size_t shape, int generation);

// Where an element lies among all, in elements: tiles in row-major order, and
// elements of a tile in row-major order. `tile` is of the last dimensions.
uint64_t TiledIndex(std::span<const int64_t> index,
                    std::span<const int64_t> shape,
                    std::span<const int64_t> tile);

}  // namespace penstock
