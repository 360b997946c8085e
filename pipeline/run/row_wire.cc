#include "pipeline/run/row_wire.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace penstock {
namespace {

// Number of values, times two, plus one where they take 8 bytes.
using Head = uint32_t;

void Append(const void* from, size_t bytes, std::string& out) {
  out.append(static_cast<const char*>(from), bytes);
}

bool Take(std::string_view& bytes, void* to, size_t size) {
  if (bytes.size() < size) return false;
  std::memcpy(to, bytes.data(), size);
  bytes.remove_prefix(size);
  return true;
}

void WriteInts(std::span<const int64_t> values, std::string& out) {
  const bool small = std::all_of(values.begin(), values.end(), [](int64_t v) {
    return v == static_cast<int32_t>(v);
  });
  const Head head = static_cast<Head>(values.size()) << 1 | (small ? 0 : 1);
  Append(&head, sizeof(head), out);
  if (!small) {
    Append(values.data(), values.size_bytes(), out);
    return;
  }
  const size_t begin = out.size();
  out.resize(begin + 4 * values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<int32_t>(values[i]);
    std::memcpy(out.data() + begin + 4 * i, &value, sizeof(value));
  }
}

void WriteInts(std::span<const int32_t> values, std::string& out) {
  const Head head = static_cast<Head>(values.size()) << 1;
  Append(&head, sizeof(head), out);
  Append(values.data(), values.size_bytes(), out);
}

template <typename T>
std::span<T> PartOf(std::span<T> values, size_t begin, size_t count) {
  begin = std::min(begin, values.size());
  return values.subspan(begin, std::min(count, values.size() - begin));
}

bool ReadInts(Head head, std::string_view& bytes, std::vector<int64_t>& out) {
  const size_t count = head >> 1;
  const size_t size = head & 1 ? 8 : 4;
  if (bytes.size() / size < count) return false;
  const size_t begin = out.size();
  out.resize(begin + count);
  if (size == 8) return Take(bytes, out.data() + begin, 8 * count);
  for (size_t i = 0; i < count; ++i) {
    int32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, sizeof(value));
    out[begin + i] = value;
  }
  bytes.remove_prefix(4 * count);
  return true;
}

bool ReadFloats(Head head, std::string_view& bytes, std::vector<float>& out) {
  const size_t count = head >> 1;
  if (bytes.size() / sizeof(float) < count) return false;
  const size_t begin = out.size();
  out.resize(begin + count);
  return Take(bytes, out.data() + begin, count * sizeof(float));
}

// The number of values, then each with its size before it.
void WriteBytes(const Column& column, size_t row, std::string& out) {
  const Head head = static_cast<Head>(column.values_in(row)) << 1;
  Append(&head, sizeof(head), out);
  const uint64_t end = column.row_offsets[row + 1];
  for (uint64_t v = column.row_offsets[row]; v < end; ++v) {
    const std::string_view value = column.bytes_at(v);
    const uint64_t size = value.size();
    Append(&size, sizeof(size), out);
    out.append(value);
  }
}

bool ReadBytes(Head head, std::string_view& bytes, Column& out) {
  for (size_t left = head >> 1; left > 0; --left) {
    uint64_t size = 0;
    if (!Take(bytes, &size, sizeof(size)) || bytes.size() < size) return false;
    out.bytes.append(bytes.substr(0, size));
    out.byte_offsets.push_back(out.bytes.size());
    bytes.remove_prefix(size);
  }
  return true;
}

bool ReadColumn(Head head, std::string_view& bytes, Column& out) {
  switch (out.type) {
    case FeatureType::kBytes:
      return ReadBytes(head, bytes, out);
    case FeatureType::kFloat:
      return ReadFloats(head, bytes, out.floats);
    case FeatureType::kInt64:
      return ReadInts(head, bytes, out.ints);
  }
  return false;
}

}  // namespace

void WriteRow(const Examples& examples, size_t row, size_t begin, size_t count,
              std::string& out) {
  for (const Column& column : examples.columns) {
    if (column.type == FeatureType::kBytes) {
      WriteBytes(column, row, out);
      continue;
    }
    if (column.type == FeatureType::kInt64) {
      if (column.narrow) {
        WriteInts(PartOf(column.narrow_ints_of(row), begin, count), out);
      } else {
        WriteInts(PartOf(column.ints_of(row), begin, count), out);
      }
      continue;
    }
    const auto values = PartOf(column.floats_of(row), begin, count);
    const Head head = static_cast<Head>(values.size()) << 1;
    Append(&head, sizeof(head), out);
    Append(values.data(), values.size_bytes(), out);
  }
}

Status ReadRow(const Examples& columns, std::string_view& bytes,
               Examples& out) {
  out.columns.resize(columns.columns.size());
  for (size_t c = 0; c < columns.columns.size(); ++c) {
    Column& column = out.columns[c];
    column.name = columns.columns[c].name;
    column.type = columns.columns[c].type;
    Head head = 0;
    const bool read =
        Take(bytes, &head, sizeof(head)) && ReadColumn(head, bytes, column);
    if (!read) return InternalError("a row from another host is cut off");
    column.EndRow();
  }
  ++out.rows;
  return OkStatus();
}

}  // namespace penstock
