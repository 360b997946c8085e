// Where the tensors of a batch lie in its memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/build/buffer_pool.h"
#include "pipeline/contract.h"

namespace penstock {

// Bytes of `rows` rows in shape `shape`, each tensor beginning at a multiple of
// kTensorAlignment. Saturates, instead of overflowing, at 2^63.
uint64_t BatchBytes(const Contract& contract, size_t shape, int64_t rows);

// Gives a batch of `rows` rows, whose shape it says, its tensors, with memory
// of any content.
// Errors:  kResourceExhausted where memory ends.
Status GiveMemory(const Contract& contract, int64_t rows, BufferPool& pool,
                  Batch& batch);

}  // namespace penstock
