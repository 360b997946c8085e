#include "formats/example_walk.h"

#include <simdjson.h>

#include <algorithm>

#include "formats/example_lists.h"

namespace penstock {
namespace {

constexpr uint32_t kFeatures = 0x0a;   // in Example
constexpr uint32_t kEntry = 0x0a;      // in Features
constexpr uint32_t kKey = 0x0a;        // in an entry
constexpr uint32_t kValue = 0x12;      // in an entry
constexpr uint32_t kBytesList = 0x0a;  // in Feature
constexpr uint32_t kFloatList = 0x12;  // in Feature
constexpr uint32_t kInt64List = 0x1a;  // in Feature

// How deep unknown groups may go in each message.
constexpr int kGroupsInFeature = kGroupsInList + 1;
constexpr int kGroupsInEntry = kGroupsInFeature + 1;
constexpr int kGroupsInFeatures = kGroupsInEntry + 1;
constexpr int kGroupsInExample = kGroupsInFeatures + 1;
static_assert(kGroupsInExample == kWireDepthLimit);

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
      return TakeBytes(message, column, found.values, defect_);
    case FeatureType::kFloat:
      return TakeFloats(message, column, found.values, defect_);
    case FeatureType::kInt64:
      return TakeInts(message, column, found.values, defect_);
  }
  return false;
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
