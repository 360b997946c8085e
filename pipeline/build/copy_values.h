// Values of a column -> values of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "formats/files/status_or.h"
#include "pipeline/batch.h"
#include "pipeline/build/rows.h"
#include "pipeline/contract.h"

namespace penstock {

// The bits of a value in a tensor of `type`, which can hold it.
uint64_t ValueBits(ElementType type, double value);

// Writes one value again and again.
void FillValues(uint64_t bits, ElementType type, size_t begin, size_t end,
                Tensor& tensor);

// Values [begin, begin + count) of a row.
struct ValueRange {
  const Column* column = nullptr;
  size_t row = 0;
  size_t begin = 0;
  size_t count = 0;
};

// Writes them at value `to` of `tensor`. Of a bytes column `count` values of
// the tensor's type lie in one.
// Errors:  kInvalidArgument naming the record, the feature and the value where
//          one does not fit, or bytes are of another size.
Status CopyValues(const ValueRange& from, const TensorSpec& spec, size_t to,
                  Tensor& tensor, const Locate& locate, uint64_t record);

// The error for value `i` of a record that does not fit.
Status DoesNotFit(const std::string& where, size_t i, int64_t value,
                  const std::string& feature, ElementType type);

}  // namespace penstock
