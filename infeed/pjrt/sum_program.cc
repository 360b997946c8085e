#include "infeed/pjrt/sum_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

namespace penstock {
namespace {

// Null of types that are no integers.
const char* IntegerName(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return "i8";
    case ElementType::kInt16:
      return "i16";
    case ElementType::kInt32:
      return "i32";
    case ElementType::kInt64:
      return "i64";
    case ElementType::kUint8:
      return "ui8";
    case ElementType::kUint16:
      return "ui16";
    case ElementType::kUint32:
      return "ui32";
    default:
      return nullptr;
  }
}

std::vector<int64_t> ShardOf(const TensorView& view) {
  return view.padded_shape.empty() ? view.shape : view.padded_shape;
}

// "tensor<4x14xi32>".
std::string TypeOf(const std::vector<int64_t>& shape, const char* element) {
  std::string text = "tensor<";
  for (const int64_t size : shape) text += fmt::format("{}x", size);
  return text + element + ">";
}

std::optional<size_t> FirstInteger(const Contract& contract) {
  std::optional<size_t> other;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const TensorSpec& spec = contract.tensors[t];
    if (IntegerName(spec.type) == nullptr) continue;
    if (spec.role == Role::kData) return t;
    if (!other) other = t;
  }
  return other;
}

std::optional<size_t> FirstOf(const Contract& contract, Role role,
                              ElementType type) {
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const TensorSpec& spec = contract.tensors[t];
    if (spec.role == role && spec.type == type && spec.row_shape.empty()) {
      return t;
    }
  }
  return std::nullopt;
}

// Which tensor says what is real; of a slice that is cut within rows none does.
std::optional<size_t> MaskOf(const CoreSlice& slice, size_t tokens) {
  if (!slice.is_cut_by_rows()) return std::nullopt;
  const Contract& contract = slice.contract();
  const std::vector<int64_t>& row = contract.tensors[tokens].row_shape;
  if (row == std::vector<int64_t>{TensorSpec::kBucketLength}) {
    const auto lengths = FirstOf(contract, Role::kLengths, ElementType::kInt32);
    if (lengths) return lengths;
  }
  return FirstOf(contract, Role::kWeights, ElementType::kFloat32);
}

std::vector<std::byte> Packed(const TensorView& view) {
  std::vector<std::byte> bytes(view.packed_bytes());
  view.PackTo(bytes);
  return bytes;
}

template <typename T>
std::vector<T> ValuesOf(const TensorView& view) {
  std::vector<T> values(view.packed_bytes() / sizeof(T));
  view.PackTo(std::as_writable_bytes(std::span(values)));
  return values;
}

// Of each row so many values.
template <typename T>
uint64_t SumOf(const std::byte* bytes, size_t row_size,
               const std::vector<size_t>& counts) {
  uint64_t sum = 0;
  for (size_t row = 0; row < counts.size(); ++row) {
    for (size_t i = 0; i < counts[row]; ++i) {
      T value;
      std::memcpy(&value, bytes + (row * row_size + i) * sizeof(T), sizeof(T));
      sum += static_cast<uint64_t>(value);
    }
  }
  return sum;
}

}  // namespace

StatusOr<SumProgram> SumProgramOf(const CoreSlice& slice) {
  const Contract& contract = slice.contract();
  const std::optional<size_t> tokens = FirstInteger(contract);
  if (!tokens) {
    return UnimplementedError(
        "the step of a PJRT device sums integers, and no tensor has them: feed "
        "a feature of integers, or run a program of your own");
  }
  SumProgram program = {.arguments = {*tokens}};
  const std::vector<int64_t> shape = ShardOf(slice.tensor(*tokens));
  const std::string given =
      TypeOf(shape, IntegerName(contract.tensors[*tokens].type));
  const std::string wide = TypeOf(shape, "i64");
  std::string arguments = "%values: " + given;
  std::string body = fmt::format(
      "    %wide = stablehlo.convert %values : ({}) -> {}\n", given, wide);
  std::string summed = "%wide";
  if (const std::optional<size_t> mask = MaskOf(slice, *tokens)) {
    program.arguments.push_back(*mask);
    const bool lengths = contract.tensors[*mask].role == Role::kLengths;
    const char* const element = lengths ? "i32" : "f32";
    const std::string rows = TypeOf({shape[0]}, element);
    const std::string spread = TypeOf(shape, element);
    arguments += ", %mask: " + rows;
    body += fmt::format(
        "    %spread = stablehlo.broadcast_in_dim %mask, dims = [0] : ({}) -> "
        "{}\n",
        rows, spread);
    if (lengths) {
      const std::string bits = TypeOf(shape, "i1");
      body += fmt::format(
          "    %place = stablehlo.iota dim = 1 : {0}\n"
          "    %real = stablehlo.compare LT, %place, %spread, SIGNED : "
          "({0}, {0}) -> {1}\n"
          "    %one = stablehlo.convert %real : ({1}) -> {2}\n",
          spread, bits, wide);
    } else {
      body += fmt::format("    %one = stablehlo.convert %spread : ({}) -> {}\n",
                          spread, wide);
    }
    body += fmt::format("    %masked = stablehlo.multiply %wide, %one : {}\n",
                        wide);
    summed = "%masked";
  }
  std::string dimensions;
  for (size_t d = 0; d < shape.size(); ++d) {
    dimensions += fmt::format("{}{}", d == 0 ? "" : ", ", d);
  }
  program.mlir = fmt::format(
      "module @penstock_sum {{\n"
      "  func.func @main({}) -> tensor<i64> {{\n{}"
      "    %zero = stablehlo.constant dense<0> : tensor<i64>\n"
      "    %sum = stablehlo.reduce({} init: %zero) applies stablehlo.add "
      "across dimensions = [{}] : ({}, tensor<i64>) -> tensor<i64>\n"
      "    return %sum : tensor<i64>\n"
      "  }}\n"
      "}}\n",
      arguments, body, summed, dimensions, wide);
  return program;
}

uint64_t HostSum(const SumProgram& program, const CoreSlice& slice) {
  const TensorView view = slice.tensor(program.arguments[0]);
  const std::vector<int64_t> shape = ShardOf(view);
  size_t row_size = 1;
  for (size_t d = 1; d < shape.size(); ++d) {
    row_size *= static_cast<size_t>(shape[d]);
  }
  std::vector<size_t> counts(static_cast<size_t>(shape[0]), row_size);
  if (program.arguments.size() > 1) {
    const TensorView mask = slice.tensor(program.arguments[1]);
    if (mask.spec->role == Role::kLengths) {
      const auto lengths = ValuesOf<int32_t>(mask);
      for (size_t row = 0; row < counts.size(); ++row) {
        counts[row] =
            std::min(row_size, static_cast<size_t>(std::max(lengths[row], 0)));
      }
    } else {
      const auto weights = ValuesOf<float>(mask);
      for (size_t row = 0; row < counts.size(); ++row) {
        counts[row] *= static_cast<size_t>(weights[row]);
      }
    }
  }
  std::vector<std::byte> packed;
  if (!view.dense()) packed = Packed(view);
  const std::byte* const bytes =
      view.dense() ? view.bytes.data() : packed.data();
  switch (view.spec->type) {
    case ElementType::kInt8:
      return SumOf<int8_t>(bytes, row_size, counts);
    case ElementType::kInt16:
      return SumOf<int16_t>(bytes, row_size, counts);
    case ElementType::kInt32:
      return SumOf<int32_t>(bytes, row_size, counts);
    case ElementType::kInt64:
      return SumOf<int64_t>(bytes, row_size, counts);
    case ElementType::kUint8:
      return SumOf<uint8_t>(bytes, row_size, counts);
    case ElementType::kUint16:
      return SumOf<uint16_t>(bytes, row_size, counts);
    default:
      return SumOf<uint32_t>(bytes, row_size, counts);
  }
}

}  // namespace penstock
