// Which features are taken out of records, and what is made of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "formats/example/feature_spec.h"
#include "pipeline/contract.h"
#include "tokenizer/interface/call_options.h"

namespace penstock {

// One end of a row.
enum class Side { kRight, kLeft };

// A feature to take out of each tf.train.Example.
struct Feature {
  std::string name;
  FeatureType type = FeatureType::kInt64;
  // Values in every row; kVarying allows any number. 1 makes a tensor [rows].
  int64_t length = kVarying;
  // What it becomes in a batch; a value that does not fit is an error. By
  // default int64 features become int32 (any integers and bool are possible)
  // and float features float32 (or bfloat16, float16: the nearest).
  std::optional<ElementType> as = std::nullopt;
  // Rows without the feature have no values instead of being an error.
  bool optional = false;
  // Numbers that lie in one bytes value, as `datagen --token-encoding` writes
  // them. For int64 alone.
  FeatureEncoding encoding = FeatureEncoding::kPlain;
  // Instead of `length`: the sizes of a dense array, row-major, {28, 28, 3}. A
  // bytes feature has it as one value of exactly so many bytes, little-endian
  // numbers of type `as`, by default uint8.
  std::vector<int64_t> shape = {};
  // Of padding, and of rows that pad; by default 0, or for the feature that
  // arranges what Bucket or Pad says.
  std::optional<double> pad_value = std::nullopt;
  // For varying features: where padding goes, and which values a row loses that
  // is cut to its batch's length.
  Side pad_side = Side::kRight;
  Side cut_side = Side::kRight;

  static constexpr int64_t kVarying = -1;
};

struct TokenizeOptions {
  std::string from = "text";  // a bytes feature of one value
  std::string to = "tokens";  // varying
  EncodeOptions encode = {};
  // As of a Feature.
  ElementType as = ElementType::kInt32;
  Side pad_side = Side::kRight;
  Side cut_side = Side::kRight;
};

struct RenameOptions {
  std::string from;
  std::string to;
};

// A feature of one value that every row has.
struct ConstantOptions {
  std::string name;
  double value = 0;  // 0 in rows that pad
  ElementType as = ElementType::kInt32;
};

}  // namespace penstock
