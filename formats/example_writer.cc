#include "formats/example_writer.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

namespace penstock {
namespace {

static_assert(std::endian::native == std::endian::little,
              "numbers are copied as they lie in memory");

// Tags of the fields that are written; each takes one byte.
constexpr char kFeatures = 0x0a;
constexpr char kEntry = 0x0a;
constexpr char kKey = 0x0a;
constexpr char kValue = 0x12;
constexpr char kBytesList = 0x0a;
constexpr char kFloatList = 0x12;
constexpr char kInt64List = 0x1a;
constexpr char kChunk = 0x0a;

size_t VarintBytes(uint64_t value) {
  return (std::bit_width(value | 1) + 6) / 7;
}

// Of a field of `size` bytes with its tag and length.
size_t FieldBytes(size_t size) { return 1 + VarintBytes(size) + size; }

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void AppendHeader(char tag, size_t size, std::string& out) {
  out.push_back(tag);
  AppendVarint(size, out);
}

void AppendField(char tag, std::string_view bytes, std::string& out) {
  AppendHeader(tag, bytes.size(), out);
  out.append(bytes);
}

}  // namespace

std::string& ExampleWriter::EntryFor(std::string_view name) {
  auto at = std::ranges::lower_bound(entries_, name, {}, &Entry::name);
  if (at == entries_.end() || at->name != name) {
    at = entries_.insert(at, Entry{std::string(name), {}});
  }
  at->feature.clear();
  return at->feature;
}

void ExampleWriter::SetBytes(std::string_view name, std::string_view value) {
  std::string& feature = EntryFor(name);
  AppendHeader(kBytesList, FieldBytes(value.size()), feature);
  AppendField(kChunk, value, feature);
}

void ExampleWriter::SetInts(std::string_view name,
                            std::span<const int64_t> values) {
  std::string& feature = EntryFor(name);
  size_t chunk_bytes = 0;
  for (const int64_t value : values) {
    chunk_bytes += VarintBytes(static_cast<uint64_t>(value));
  }
  AppendHeader(kInt64List, values.empty() ? 0 : FieldBytes(chunk_bytes),
               feature);
  if (values.empty()) return;
  AppendHeader(kChunk, chunk_bytes, feature);
  for (const int64_t value : values) {
    AppendVarint(static_cast<uint64_t>(value), feature);
  }
}

void ExampleWriter::SetInts(std::string_view name,
                            std::span<const int64_t> values,
                            FeatureEncoding encoding) {
  const size_t number_bytes = NumberBytes(encoding);
  if (number_bytes == 0) return SetInts(name, values);
  std::string& feature = EntryFor(name);
  const size_t size = number_bytes * values.size();
  AppendHeader(kBytesList, FieldBytes(size), feature);
  AppendHeader(kChunk, size, feature);
  const size_t begin = feature.size();
  feature.resize(begin + size);
  char* at = feature.data() + begin;
  for (const int64_t value : values) {
    std::memcpy(at, &value, number_bytes);
    at += number_bytes;
  }
}

void ExampleWriter::SetFloats(std::string_view name,
                              std::span<const float> values) {
  std::string& feature = EntryFor(name);
  AppendHeader(kFloatList, values.empty() ? 0 : FieldBytes(values.size_bytes()),
               feature);
  if (values.empty()) return;
  AppendField(
      kChunk,
      {reinterpret_cast<const char*>(values.data()), values.size_bytes()},
      feature);
}

void ExampleWriter::Finish(std::string& out) {
  const auto entry_bytes = [](const Entry& entry) {
    return FieldBytes(entry.name.size()) + FieldBytes(entry.feature.size());
  };
  size_t features_bytes = 0;
  size_t used = 0;
  for (const Entry& entry : entries_) {
    if (entry.feature.empty()) continue;
    features_bytes += FieldBytes(entry_bytes(entry));
    ++used;
  }
  AppendHeader(kFeatures, features_bytes, out);
  for (Entry& entry : entries_) {
    if (entry.feature.empty()) continue;
    AppendHeader(kEntry, entry_bytes(entry), out);
    AppendField(kKey, entry.name, out);
    AppendField(kValue, entry.feature, out);
  }
  // Names that come and go must not pile up.
  if (used * 2 < entries_.size()) {
    std::erase_if(entries_, [](const Entry& e) { return e.feature.empty(); });
  }
  for (Entry& entry : entries_) entry.feature.clear();
}

}  // namespace penstock
