// What every batch of a run obeys: the tensors, their types and all shapes they
// will ever have, known before step 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

enum class ElementType {
  kInt32,
  kInt64,
  kFloat32,
  kInt8,
  kInt16,
  kUint8,
  kUint16,
  kUint32,
  kBool,      // a byte, 0 or 1
  kBFloat16,  // the upper half of a float32
  kFloat16,   // IEEE 754 binary16
};

size_t SizeBytes(ElementType type);
// "int32", "int64", "float32", "bool", "bfloat16" ...
std::string_view ElementTypeName(ElementType type);

// docs/tensors.md has a table of them.
enum class Role {
  kData,       // a feature's values
  kLengths,    // int32 [rows]: how many values of a feature are real
  kPresence,   // float32 [rows]: 1 where the record has an optional feature
  kWeights,    // float32 [rows]: 1 for a real row, 0 for one that pads
  kDerived,    // made from where pieces lie: pipeline/derive.h
  kObjective,  // made by an objective: pipeline/objective.h
};

struct TensorSpec {
  std::string name;
  ElementType type = ElementType::kInt32;
  // Dimensions after the row dimension; kBucketLength is the length of the
  // batch's bucket, kOwnLength what own_lengths has for it. {} is one value a
  // row.
  std::vector<int64_t> row_shape;
  double pad_value = 0;  // of padding and of rows that pad
  Role role = Role::kData;
  std::vector<int64_t> own_lengths = {};  // [shapes] where row_shape says so

  static constexpr int64_t kBucketLength = -1;
  static constexpr int64_t kOwnLength = -2;
};

// Immutable after Compile().
struct Contract {
  int64_t rows = 0;  // of a global batch, at most
  // Every length a batch may have, rising; its place here is the shape's
  // number. {0} where no tensor has a varying length. Where several features
  // have buckets, that of the first in each pair of them; it never falls.
  std::vector<int64_t> lengths = {0};
  std::vector<TensorSpec> tensors;
  // [shapes]: the rows of a global batch of each shape. Empty: all have `rows`.
  std::vector<int64_t> shape_rows = {};

  // How many shapes: the number of compiles a run needs.
  size_t shapes() const { return lengths.size(); }
  // Of a global batch of shape `s`.
  int64_t RowsOf(size_t s) const {
    return shape_rows.empty() ? rows : shape_rows[s];
  }
  // Dimension `d` of a row of tensor `t` in shape `s`, as row_shape has them.
  int64_t RowDimension(size_t t, size_t d, size_t s) const;
  // [rows, ...] of tensor `t` in shape `s`, for `of_rows` rows.
  std::vector<int64_t> ShapeOf(size_t t, size_t s, int64_t of_rows) const;
  // Bytes of one row of all tensors in shape `s`.
  uint64_t RowBytes(size_t s) const;
  // Null where there is no such tensor.
  const TensorSpec* Find(std::string_view name) const;

  uint64_t Fingerprint() const;
  // A line a tensor: "tokens: int32 [1024, 128 | 256 | 512], pad 0".
  std::string Describe() const;
};

}  // namespace penstock
