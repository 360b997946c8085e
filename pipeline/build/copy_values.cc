#include "pipeline/build/copy_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "pipeline/build/narrow.h"

namespace penstock {
namespace {

template <typename T>
void Fill(uint64_t bits, size_t begin, size_t end, Tensor& tensor) {
  T* const values = reinterpret_cast<T*>(tensor.bytes.data());
  std::fill(values + begin, values + end, static_cast<T>(bits));
}

// The first value that does not fit: there is one.
Status FirstOutside(const ValueRange& from, const TensorSpec& spec,
                    const std::string& where) {
  uint64_t ignored = 0;
  for (size_t i = from.begin; i < from.begin + from.count; ++i) {
    if (from.column->type == FeatureType::kFloat) {
      const float value = from.column->floats_of(from.row)[i];
      if (Narrow({&value, 1}, spec.type, &ignored)) continue;
      return InvalidArgumentError(fmt::format(
          "{}: value {} of feature \"{}\" is {}, which does not fit {}: take "
          "the feature as ElementType::kFloat32",
          where, i, spec.name, value, ElementTypeName(spec.type)));
    }
    const int64_t value = from.column->int_of(from.row, i);
    if (!Narrow({&value, 1}, spec.type, &ignored)) {
      return DoesNotFit(where, i, value, spec.name, spec.type);
    }
  }
  return InternalError(fmt::format("{}: feature \"{}\"", where, spec.name));
}

// As Narrow() of the same values in 64 bits.
bool CopyNarrow(std::span<const int32_t> from, ElementType to_type,
                std::byte* to) {
  if (to_type == ElementType::kInt32) {
    std::memcpy(to, from.data(), from.size_bytes());
    return true;
  }
  std::array<int64_t, 256> wide;
  for (size_t begin = 0; begin < from.size(); begin += wide.size()) {
    const auto block =
        from.subspan(begin, std::min(wide.size(), from.size() - begin));
    std::ranges::copy(block, wide.begin());
    if (!Narrow(std::span<const int64_t>(wide).first(block.size()), to_type,
                to + begin * SizeBytes(to_type))) {
      return false;
    }
  }
  return true;
}

Status CopyBytes(const ValueRange& from, const TensorSpec& spec, std::byte* to,
                 const Locate& locate, uint64_t record) {
  const std::string_view bytes =
      from.column->bytes_at(from.column->row_offsets[from.row]);
  const size_t wanted = from.count * SizeBytes(spec.type);
  if (bytes.size() != wanted) {
    return InvalidArgumentError(fmt::format(
        "{}: feature \"{}\" has {} bytes, but its shape has {} values of {}, "
        "which take {}",
        locate(record), spec.name, bytes.size(), from.count,
        ElementTypeName(spec.type), wanted));
  }
  std::memcpy(to, bytes.data(), wanted);
  return OkStatus();
}

}  // namespace

uint64_t ValueBits(ElementType type, double value) {
  uint64_t bits = 0;
  if (type == ElementType::kFloat32 || type == ElementType::kFloat16 ||
      type == ElementType::kBFloat16) {
    const auto narrow = static_cast<float>(value);
    Narrow({&narrow, 1}, type, &bits);
  } else {
    const auto whole = static_cast<int64_t>(value);
    Narrow({&whole, 1}, type, &bits);
  }
  return bits;
}

void FillValues(uint64_t bits, ElementType type, size_t begin, size_t end,
                Tensor& tensor) {
  if (begin == end) return;
  switch (SizeBytes(type)) {
    case 1:
      return Fill<uint8_t>(bits, begin, end, tensor);
    case 2:
      return Fill<uint16_t>(bits, begin, end, tensor);
    case 4:
      return Fill<uint32_t>(bits, begin, end, tensor);
    default:
      return Fill<uint64_t>(bits, begin, end, tensor);
  }
}

Status CopyValues(const ValueRange& from, const TensorSpec& spec, size_t to,
                  Tensor& tensor, const Locate& locate, uint64_t record) {
  if (from.count == 0) return OkStatus();
  std::byte* const at = tensor.bytes.data() + to * SizeBytes(spec.type);
  switch (from.column->type) {
    case FeatureType::kBytes:
      return CopyBytes(from, spec, at, locate, record);
    case FeatureType::kFloat:
      if (Narrow(
              from.column->floats_of(from.row).subspan(from.begin, from.count),
              spec.type, at)) {
        return OkStatus();
      }
      break;
    case FeatureType::kInt64:
      if (from.column->narrow) {
        if (CopyNarrow(from.column->narrow_ints_of(from.row).subspan(
                           from.begin, from.count),
                       spec.type, at)) {
          return OkStatus();
        }
        break;
      }
      if (Narrow(from.column->ints_of(from.row).subspan(from.begin, from.count),
                 spec.type, at)) {
        return OkStatus();
      }
      break;
  }
  return FirstOutside(from, spec, locate(record));
}

Status DoesNotFit(const std::string& where, size_t i, int64_t value,
                  const std::string& feature, ElementType type) {
  return InvalidArgumentError(fmt::format(
      "{}: value {} of feature \"{}\" is {}, which does not fit {}: take the "
      "feature as ElementType::kInt64",
      where, i, feature, value, ElementTypeName(type)));
}

}  // namespace penstock
