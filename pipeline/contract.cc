#include "pipeline/contract.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "tokenizer/interface/fingerprint.h"

namespace penstock {

size_t SizeBytes(ElementType type) {
  switch (type) {
    case ElementType::kInt64:
      return 8;
    case ElementType::kInt32:
    case ElementType::kUint32:
    case ElementType::kFloat32:
      return 4;
    case ElementType::kInt16:
    case ElementType::kUint16:
    case ElementType::kBFloat16:
    case ElementType::kFloat16:
      return 2;
    case ElementType::kInt8:
    case ElementType::kUint8:
    case ElementType::kBool:
      return 1;
  }
  return 0;
}

std::string_view ElementTypeName(ElementType type) {
  switch (type) {
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kInt8:
      return "int8";
    case ElementType::kInt16:
      return "int16";
    case ElementType::kUint8:
      return "uint8";
    case ElementType::kUint16:
      return "uint16";
    case ElementType::kUint32:
      return "uint32";
    case ElementType::kBool:
      return "bool";
    case ElementType::kBFloat16:
      return "bfloat16";
    case ElementType::kFloat16:
      return "float16";
  }
  return "unknown";
}

int64_t Contract::RowDimension(size_t t, size_t d, size_t s) const {
  const int64_t size = tensors[t].row_shape[d];
  return size == TensorSpec::kBucketLength ? lengths[s]
         : size == TensorSpec::kOwnLength  ? tensors[t].own_lengths[s]
                                           : size;
}

std::vector<int64_t> Contract::ShapeOf(size_t t, size_t s,
                                       int64_t of_rows) const {
  std::vector<int64_t> shape(1 + tensors[t].row_shape.size(), of_rows);
  for (size_t d = 0; d + 1 < shape.size(); ++d) {
    shape[d + 1] = RowDimension(t, d, s);
  }
  return shape;
}

uint64_t Contract::RowBytes(size_t s) const {
  uint64_t bytes = 0;
  for (size_t t = 0; t < tensors.size(); ++t) {
    uint64_t of_tensor = SizeBytes(tensors[t].type);
    for (size_t d = 0; d < tensors[t].row_shape.size(); ++d) {
      of_tensor *= static_cast<uint64_t>(RowDimension(t, d, s));
    }
    bytes += of_tensor;
  }
  return bytes;
}

const TensorSpec* Contract::Find(std::string_view name) const {
  for (const TensorSpec& tensor : tensors) {
    if (tensor.name == name) return &tensor;
  }
  return nullptr;
}

uint64_t Contract::Fingerprint() const {
  Fingerprinter hash;
  hash.Add(static_cast<uint64_t>(rows)).Add(lengths.size());
  for (const int64_t length : lengths) hash.Add(static_cast<uint64_t>(length));
  for (const int64_t of_shape : shape_rows) {
    hash.Add(static_cast<uint64_t>(of_shape));
  }
  hash.Add(tensors.size());
  for (const TensorSpec& tensor : tensors) {
    hash.Add(tensor.name)
        .Add(static_cast<uint64_t>(tensor.type))
        .Add(std::bit_cast<uint64_t>(tensor.pad_value))
        .Add(static_cast<uint64_t>(tensor.role))
        .Add(tensor.row_shape.size());
    for (const int64_t size : tensor.row_shape) {
      hash.Add(static_cast<uint64_t>(size));
    }
    for (const int64_t length : tensor.own_lengths) {
      hash.Add(static_cast<uint64_t>(length));
    }
  }
  return hash.Finish();
}

std::string Contract::Describe() const {
  std::string text;
  for (const TensorSpec& tensor : tensors) {
    text += fmt::format("{}: {} [", tensor.name, ElementTypeName(tensor.type));
    text += shape_rows.empty()
                ? fmt::format("{}", rows)
                : fmt::format("{}", fmt::join(shape_rows, " | "));
    for (const int64_t size : tensor.row_shape) {
      text += ", ";
      if (size == TensorSpec::kBucketLength) {
        text += fmt::format("{}", fmt::join(lengths, " | "));
      } else if (size == TensorSpec::kOwnLength) {
        text += fmt::format("{}", fmt::join(tensor.own_lengths, " | "));
      } else {
        text += fmt::format("{}", size);
      }
    }
    text += "]";
    if (tensor.role == Role::kData || tensor.pad_value != 0) {
      text += fmt::format(", pad {}", tensor.pad_value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace penstock
