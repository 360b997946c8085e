#include "formats/example_walk.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "formats/packed_varints.h"

namespace penstock {
namespace {

constexpr uint32_t kFeatures = 0x0a;   // in Example
constexpr uint32_t kEntry = 0x0a;      // in Features
constexpr uint32_t kKey = 0x0a;        // in an entry
constexpr uint32_t kValue = 0x12;      // in an entry
constexpr uint32_t kBytesList = 0x0a;  // in Feature
constexpr uint32_t kFloatList = 0x12;  // in Feature
constexpr uint32_t kInt64List = 0x1a;  // in Feature
constexpr uint32_t kChunk = 0x0a;      // in a list: a value or packed values
constexpr uint32_t kUnpackedFloat = 0x0d;
constexpr uint32_t kUnpackedInt64 = 0x08;

// How deep unknown groups may go in each message.
constexpr int kGroupsInExample = kWireDepthLimit;
constexpr int kGroupsInFeatures = kGroupsInExample - 1;
constexpr int kGroupsInEntry = kGroupsInFeatures - 1;
constexpr int kGroupsInFeature = kGroupsInEntry - 1;
constexpr int kGroupsInList = kGroupsInFeature - 1;

bool IsUtf8(std::string_view name) {
  const bool ascii = std::ranges::all_of(
      name, [](char c) { return static_cast<uint8_t>(c) < 0x80; });
  return ascii || simdjson::validate_utf8(name.data(), name.size());
}

// The last key of an entry; without one its name is empty.
bool ReadKey(std::string_view entry, WireDefect& defect,
             std::string_view& key) {
  key = {};
  WireReader in(entry, defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kKey) {
      if (!in.ReadChunk(key)) return false;
      if (!IsUtf8(key)) {
        return in.Fail("a feature name that is not UTF-8", key.data());
      }
    } else if (!in.Skip(tag, kGroupsInEntry)) {
      return false;
    }
  }
  return defect.what == nullptr;
}

}  // namespace

void CutToWholeRows(Column& column) {
  const uint64_t values = column.row_offsets.back();
  switch (column.type) {
    case FeatureType::kBytes:
      column.byte_offsets.resize(values + 1);
      column.bytes.resize(column.byte_offsets.back());
      return;
    case FeatureType::kFloat:
      column.floats.resize(values);
      return;
    case FeatureType::kInt64:
      column.ints.resize(values);
      return;
  }
}

ExampleWalk::ExampleWalk(const FeatureNames& names, std::span<Column> columns)
    : names_(names), found_(columns.size()) {
  for (size_t i = 0; i < columns.size(); ++i) found_[i].column = &columns[i];
}

bool ExampleWalk::Walk(std::string_view record) {
  for (FoundFeature& found : found_) {
    found.present = false;
    found.type.reset();
    found.values = 0;
  }
  defect_ = {};
  name_.reset();
  WireReader in(record, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kFeatures) {
      std::string_view features;
      if (!in.ReadChunk(features) || !WalkFeatures(features)) return false;
    } else if (!in.Skip(tag, kGroupsInExample)) {
      return false;
    }
  }
  return defect_.what == nullptr;
}

bool ExampleWalk::WalkFeatures(std::string_view message) {
  WireReader in(message, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kEntry) {
      std::string_view entry;
      if (!in.ReadChunk(entry) || !WalkEntry(entry)) return false;
      name_.reset();
    } else if (!in.Skip(tag, kGroupsInFeatures)) {
      return false;
    }
  }
  return defect_.what == nullptr;
}

// The key, then the value, as every writer makes them; anything else is left
// to WalkUnusualEntry, which starts over.
bool ExampleWalk::WalkEntry(std::string_view message) {
  WireDefect ignored;
  WireReader in(message, ignored);
  uint32_t tag;
  std::string_view key;
  std::string_view value;
  if (in.NextTag(tag) && tag == kKey && in.ReadChunk(key) && IsUtf8(key) &&
      in.NextTag(tag) && tag == kValue && in.ReadChunk(value) &&
      value.data() + value.size() == message.data() + message.size()) {
    return WalkFeature(value, Begin(key));
  }
  return WalkUnusualEntry(message);
}

// Several keys: the last is the name. Several values: one merged Feature.
bool ExampleWalk::WalkUnusualEntry(std::string_view message) {
  std::string_view key;
  if (!ReadKey(message, defect_, key)) return false;
  FoundFeature& found = Begin(key);
  WireReader in(message, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kValue) {
      std::string_view value;
      if (!in.ReadChunk(value) || !WalkFeature(value, found)) return false;
    } else if (!in.Skip(tag, kGroupsInEntry)) {
      return false;
    }
  }
  return defect_.what == nullptr;
}

// An entry replaces what an earlier one of the same name gave.
FoundFeature& ExampleWalk::Begin(std::string_view name) {
  name_ = name;
  const std::optional<size_t> place = names_.Find(name);
  FoundFeature& found = place ? found_[*place] : unwanted_;
  if (found.type && found.column != nullptr) CutToWholeRows(*found.column);
  found.present = true;
  found.type.reset();
  found.values = 0;
  return found;
}

bool ExampleWalk::WalkFeature(std::string_view message, FoundFeature& found) {
  WireReader in(message, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    FeatureType type;
    switch (tag) {
      case kBytesList:
        type = FeatureType::kBytes;
        break;
      case kFloatList:
        type = FeatureType::kFloat;
        break;
      case kInt64List:
        type = FeatureType::kInt64;
        break;
      default:
        if (!in.Skip(tag, kGroupsInFeature)) return false;
        continue;
    }
    std::string_view list;
    if (!in.ReadChunk(list) || !WalkList(type, list, found)) return false;
  }
  return defect_.what == nullptr;
}

// A list of the type that is there already goes on with it; one of another type
// takes its place.
bool ExampleWalk::WalkList(FeatureType type, std::string_view message,
                           FoundFeature& found) {
  if (found.type != type) {
    if (found.type && found.column != nullptr) CutToWholeRows(*found.column);
    found.type = type;
    found.values = 0;
  }
  Column* const column = found.column != nullptr && found.column->type == type
                             ? found.column
                             : nullptr;
  switch (type) {
    case FeatureType::kBytes:
      return WalkBytes(message, column, found.values);
    case FeatureType::kFloat:
      return WalkFloats(message, column, found.values);
    case FeatureType::kInt64:
      return WalkInts(message, column, found.values);
  }
  return false;
}

bool ExampleWalk::WalkBytes(std::string_view message, Column* column,
                            uint64_t& values) {
  WireReader in(message, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag != kChunk) {
      if (!in.Skip(tag, kGroupsInList)) return false;
      continue;
    }
    std::string_view value;
    if (!in.ReadChunk(value)) return false;
    ++values;
    if (column == nullptr) continue;
    column->bytes.append(value);
    column->byte_offsets.push_back(column->bytes.size());
  }
  return defect_.what == nullptr;
}

bool ExampleWalk::WalkFloats(std::string_view message, Column* column,
                             uint64_t& values) {
  WireReader in(message, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    std::string_view chunk;
    if (tag == kChunk) {
      if (!in.ReadChunk(chunk)) return false;
      if (chunk.size() % sizeof(float) != 0) {
        return in.Fail("packed floats of a size that is no multiple of 4",
                       chunk.data());
      }
    } else if (tag == kUnpackedFloat) {
      if (!in.ReadFixed32(chunk)) return false;
    } else {
      if (!in.Skip(tag, kGroupsInList)) return false;
      continue;
    }
    const size_t count = chunk.size() / sizeof(float);
    values += count;
    if (column == nullptr || count == 0) continue;
    std::vector<float>& floats = column->floats;
    floats.resize(floats.size() + count);
    std::memcpy(floats.data() + floats.size() - count, chunk.data(),
                chunk.size());
  }
  return defect_.what == nullptr;
}

bool ExampleWalk::WalkInts(std::string_view message, Column* column,
                           uint64_t& values) {
  WireReader in(message, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kChunk) {
      std::string_view chunk;
      if (!in.ReadChunk(chunk)) return false;
      const size_t count = CountVarints(chunk);
      values += count;
      const char* bad;
      if (column == nullptr) {
        bad = CheckVarints(chunk);
      } else {
        std::vector<int64_t>& ints = column->ints;
        ints.resize(ints.size() + count);
        bad = DecodeVarints(chunk, ints.data() + ints.size() - count);
      }
      if (bad != nullptr) {
        return in.Fail("a packed varint that is cut off or over 10 bytes", bad);
      }
    } else if (tag == kUnpackedInt64) {
      uint64_t value;
      if (!in.ReadVarint(value)) return false;
      ++values;
      if (column != nullptr) {
        column->ints.push_back(static_cast<int64_t>(value));
      }
    } else if (!in.Skip(tag, kGroupsInList)) {
      return false;
    }
  }
  return defect_.what == nullptr;
}

std::vector<std::string_view> NamesInExample(std::string_view record,
                                             size_t limit) {
  std::vector<std::string_view> names;
  WireDefect defect;
  WireReader in(record, defect);
  for (uint32_t tag; in.NextTag(tag);) {
    std::string_view features;
    if (tag != kFeatures) {
      in.Skip(tag, kGroupsInExample);
      continue;
    }
    if (!in.ReadChunk(features)) return names;
    WireReader entries(features, defect);
    while (names.size() < limit && entries.NextTag(tag)) {
      std::string_view entry;
      std::string_view key;
      if (tag != kEntry) {
        entries.Skip(tag, kGroupsInFeatures);
      } else if (entries.ReadChunk(entry) && ReadKey(entry, defect, key) &&
                 std::ranges::find(names, key) == names.end()) {
        names.push_back(key);
      }
    }
  }
  return names;
}

}  // namespace penstock
