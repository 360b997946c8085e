#include "formats/example/feature_bytes.h"

#include <bit>
#include <cstring>

#include "formats/example/feature_tags.h"

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

// Tags of the fields that are written; each takes one byte.
using feature_tags::kBytesList;
using feature_tags::kChunk;
using feature_tags::kEntry;
using feature_tags::kFloatList;
using feature_tags::kInt64List;
using feature_tags::kKey;
using feature_tags::kValue;

size_t VarintBytes(uint64_t value) {
  return (std::bit_width(value | 1) + 6) / 7;
}

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

}  // namespace

size_t FieldBytes(size_t size) { return 1 + VarintBytes(size) + size; }

void AppendHeader(char tag, size_t size, std::string& out) {
  out.push_back(tag);
  AppendVarint(size, out);
}

void AppendField(char tag, std::string_view bytes, std::string& out) {
  AppendHeader(tag, bytes.size(), out);
  out.append(bytes);
}

void AppendBytesFeature(std::string_view value, std::string& out) {
  AppendBytesFeature(std::span(&value, 1), out);
}

void AppendBytesFeature(std::span<const std::string_view> values,
                        std::string& out) {
  size_t size = 0;
  for (const std::string_view value : values) size += FieldBytes(value.size());
  AppendHeader(kBytesList, size, out);
  for (const std::string_view value : values) AppendField(kChunk, value, out);
}

void AppendIntsFeature(std::span<const int64_t> values, std::string& out) {
  size_t chunk_bytes = 0;
  for (const int64_t value : values) {
    chunk_bytes += VarintBytes(static_cast<uint64_t>(value));
  }
  AppendHeader(kInt64List, values.empty() ? 0 : FieldBytes(chunk_bytes), out);
  if (values.empty()) return;
  AppendHeader(kChunk, chunk_bytes, out);
  for (const int64_t value : values) {
    AppendVarint(static_cast<uint64_t>(value), out);
  }
}

void AppendFloatsFeature(std::span<const float> values, std::string& out) {
  AppendHeader(kFloatList, values.empty() ? 0 : FieldBytes(values.size_bytes()),
               out);
  if (values.empty()) return;
  AppendField(
      kChunk,
      {reinterpret_cast<const char*>(values.data()), values.size_bytes()}, out);
}

void AppendNumbersFeature(std::span<const int64_t> values, int number_bytes,
                          std::string& out) {
  const size_t size = static_cast<size_t>(number_bytes) * values.size();
  AppendHeader(kBytesList, FieldBytes(size), out);
  AppendHeader(kChunk, size, out);
  const size_t begin = out.size();
  out.resize(begin + size);
  char* at = out.data() + begin;
  for (const int64_t value : values) {
    std::memcpy(at, &value, number_bytes);
    at += number_bytes;
  }
}

size_t EntryFieldBytes(size_t name_size, size_t value_size) {
  return FieldBytes(FieldBytes(name_size) + FieldBytes(value_size));
}

void AppendEntryField(std::string_view name, std::string_view value,
                      std::string& out) {
  AppendHeader(kEntry, FieldBytes(name.size()) + FieldBytes(value.size()), out);
  AppendField(kKey, name, out);
  AppendField(kValue, value, out);
}

}  // namespace penstock
