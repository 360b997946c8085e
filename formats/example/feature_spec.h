// What a program asks of one feature, and whether a row has it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"

namespace penstock {

struct FoundFeature;

// The three kinds that tf.train.Feature has.
enum class FeatureType { kBytes, kFloat, kInt64 };

// "bytes", "float", "int64".
std::string_view FeatureTypeName(FeatureType type);

// How the values of a feature lie in its list.
enum class FeatureEncoding {
  kPlain,   // as values of the list
  kUint16,  // numbers of 2 bytes, little-endian, in one bytes value
  kUint32,  // numbers of 4 bytes
};

// "plain", "uint16", "uint32".
std::string_view FeatureEncodingName(FeatureEncoding encoding);
// 2, 4; 0 for kPlain.
int NumberBytes(FeatureEncoding encoding);

// A feature to take out of each row. Features not asked for are skipped.
struct FeatureSpec {
  std::string name;
  FeatureType type = FeatureType::kInt64;  // of the column
  // How many values every row must have (in a list of steps: every step);
  // kAnyLength allows any number.
  int64_t length = kAnyLength;
  // Without it a row must have the feature; with it a row may lack it and then
  // has no values.
  bool optional = false;
  // Instead of `length`: the sizes of a dense array, row-major.
  std::vector<int64_t> shape = {};
  // Other than kPlain for int64 alone.
  FeatureEncoding encoding = FeatureEncoding::kPlain;
  // The values lie in "NAME/ragged_flat_values" and the sizes of the steps in
  // "NAME/ragged_row_lengths_0", as TFDS writes a sequence of sequences. The
  // column is ragged.
  bool ragged = false;
  // Of plain int64: the column is of Column::narrow_ints, which are cheaper to
  // fill and to copy, until a value does not fit and makes it one of `ints`.
  bool narrow = false;

  static constexpr int64_t kAnyLength = -1;

  // `length`, or the product of `shape`.
  int64_t values() const;
};

// Errors:  kInvalidArgument for an empty list, a name asked for twice or not
//          UTF-8, a negative length or size, shape and length both, an encoding
//          of a type it is not for, a ragged feature of fixed length, a
//          narrow one that is no plain int64.
Status CheckSpecs(std::span<const FeatureSpec> specs);

// The names under which a ragged feature lies in an Example.
std::string RaggedValuesName(std::string_view name);
std::string RaggedLengthsName(std::string_view name);

// Whether a row has what `spec` asks for; not for ragged features. A feature
// that is missing but not optional is kNotFound, without a word about the row.
// Errors:  kInvalidArgument for another type or length.
Status CheckFeature(const FeatureSpec& spec, const FoundFeature& found);
Status CheckFeatureList(const FeatureSpec& spec, const FoundFeature& found);

}  // namespace penstock
