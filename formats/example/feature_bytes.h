// The bytes of a Feature as every reader likes them best: one kind, one packed
// part, the shortest varints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "formats/example/feature_spec.h"

namespace penstock {

// Each appends a serialized Feature.
void AppendBytesFeature(std::string_view value, std::string& out);
void AppendBytesFeature(std::span<const std::string_view> values,
                        std::string& out);
void AppendIntsFeature(std::span<const int64_t> values, std::string& out);
void AppendFloatsFeature(std::span<const float> values, std::string& out);
// One bytes value: the numbers, little-endian, in 2 or 4 bytes each. They must
// fit.
void AppendNumbersFeature(std::span<const int64_t> values, int number_bytes,
                          std::string& out);

// Fields of wire type 2. Of one of `size` bytes with its tag and length:
size_t FieldBytes(size_t size);
void AppendHeader(char tag, size_t size, std::string& out);
void AppendField(char tag, std::string_view bytes, std::string& out);

// The map entry of a name, as a field of its map: tag, length, key, value.
size_t EntryFieldBytes(size_t name_size, size_t value_size);
void AppendEntryField(std::string_view name, std::string_view value,
                      std::string& out);

}  // namespace penstock
