// Slices with memory of their own, and without any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"
#include "infeed/sharding/core_slice.h"
#include "pipeline/batch.h"

namespace penstock {

// All that is said of `batch`, without its tensors' bytes.
std::shared_ptr<const Batch> WithoutBytes(const Batch& batch);

// A slice like `of`, with its bytes or without, whose tensors' bytes are
// filled in by `fill`, and which holds nothing of other rows.
//
// Errors:  those of `fill`; kUnimplemented where tensors are cut otherwise than
//          by rows; kResourceExhausted where memory ends.
StatusOr<CoreSlice> OwnSlice(
    const CoreSlice& of,
    FunctionRef<Status(size_t t, std::span<std::byte> out)> fill);

}  // namespace penstock
