// Protobuf wire bytes made by hand, well formed or not.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace penstock::testing {

inline std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

// A varint drawn out to `size` bytes by empty high groups.
inline std::string LongVarint(uint64_t value, size_t size) {
  std::string bytes = Varint(value);
  while (bytes.size() < size) {
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    bytes.push_back(0);
  }
  return bytes;
}

inline std::string Tag(uint32_t field, uint32_t wire_type) {
  return Varint(field << 3 | wire_type);
}

inline std::string VarintField(uint32_t field, uint64_t value) {
  return Tag(field, 0) + Varint(value);
}
inline std::string Fixed64Field(uint32_t field, std::string_view eight) {
  return Tag(field, 1) + std::string(eight);
}
inline std::string Chunk(uint32_t field, std::string_view bytes) {
  return Tag(field, 2) + Varint(bytes.size()) + std::string(bytes);
}
inline std::string Group(uint32_t field, std::string_view fields) {
  return Tag(field, 3) + std::string(fields) + Tag(field, 4);
}
inline std::string Fixed32Field(uint32_t field, std::string_view four) {
  return Tag(field, 5) + std::string(four);
}

// `fields` in `depth` groups, one in another.
inline std::string NestedGroups(uint32_t field, int depth,
                                std::string_view fields = "") {
  std::string bytes(fields);
  for (int i = 0; i < depth; ++i) bytes = Group(field, bytes);
  return bytes;
}

inline std::string FloatBytes(float value) {
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &value, 4);
  return bytes;
}

// The messages of tf.train.Example, each of the serialized parts given.
inline std::string Int64List(std::string_view fields) {
  return Chunk(3, fields);
}
inline std::string FloatList(std::string_view fields) {
  return Chunk(2, fields);
}
inline std::string BytesList(std::string_view fields) {
  return Chunk(1, fields);
}
inline std::string Key(std::string_view name) { return Chunk(1, name); }
inline std::string Value(std::string_view feature) { return Chunk(2, feature); }
inline std::string Entry(std::string_view name, std::string_view feature) {
  return Chunk(1, Key(name) + Value(feature));
}
inline std::string Record(std::string_view entries) {
  return Chunk(1, entries);
}

}  // namespace penstock::testing
