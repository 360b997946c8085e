#include "formats/example/feature_map_walk.h"

#include <simdjson.h>

#include <algorithm>
#include <cstring>

#include "formats/example/feature_tags.h"
#include "formats/example/plain_entry.h"

namespace penstock {
namespace {

using feature_tags::kKey;
using feature_tags::kValue;
constexpr int kGroupsInEntry = kGroupsInMap - 1;
constexpr int kGroupsInValue = kGroupsInEntry - 1;
constexpr uint32_t kUnwanted = UINT32_MAX;  // no place among the slots

bool IsUtf8(std::string_view name) {
  const char* at = name.data();
  const char* const end = at + name.size();
  uint64_t high = 0;
  for (; end - at >= 8; at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    high |= word;
  }
  for (; at != end; ++at) high |= static_cast<uint8_t>(*at);
  return (high & 0x8080808080808080) == 0 ||
         simdjson::validate_utf8(name.data(), name.size());
}

}  // namespace

FeatureMapWalk::FeatureMapWalk(const FeatureNames& names,
                               std::span<const FeatureSlot> slots, Of of,
                               ExampleMode mode, WireDefect& defect)
    : names_(names),
      of_(of),
      rules_{mode, defect},
      values_(mode, kGroupsInValue, defect) {
  found_.reserve(slots.size());
  for (const FeatureSlot& slot : slots) found_.push_back({.slot = slot});
}

void FeatureMapWalk::BeginRow(const char* record_end) {
  record_end_ = record_end;
  for (FoundFeature& found : found_) {
    found.present = false;
    found.type.reset();
  }
  entries_ = 0;
  as_before_ = true;
  row_names_.clear();
  name_.reset();
}

// Where a feature that the layout knows goes.
inline FoundFeature& FeatureMapWalk::Place(const FeatureLayout::Name& known) {
  return known.place == kUnwanted ? unwanted_ : found_[known.place];
}

// Where a feature of this name goes; null if the name is not UTF-8.
FoundFeature* FeatureMapWalk::Known(std::string_view name) {
  const auto* known = layout_.Match(entries_, name);
  return known != nullptr ? &Place(*known) : Unknown(name);
}

FoundFeature* FeatureMapWalk::Unknown(std::string_view name) {
  if (!IsUtf8(name)) return nullptr;
  as_before_ = false;
  const std::optional<size_t> place = names_.Find(name);
  layout_.Remember(entries_, name,
                   place ? static_cast<uint32_t>(*place) : kUnwanted);
  return place ? &found_[*place] : &unwanted_;
}

// An entry replaces what an earlier one of the same name gave.
inline FoundFeature& FeatureMapWalk::Begin(std::string_view name,
                                           FoundFeature& found) {
  ++entries_;
  if (rules_.strict()) row_names_.push_back(name);
  if (found.present && found.slot.column != nullptr) {
    CutToWholeRows(*found.slot.column);
  }
  found.present = true;
  found.type.reset();
  found.values = 0;
  if (of_ == Of::kFeatureList) {
    found.steps = 0;
    found.odd_step.reset();
  } else {
    found.odd_size = 0;
  }
  return found;
}

// What is not as every writer makes it is left to WalkUnusualEntry, which
// starts over.
[[gnu::always_inline]] inline bool FeatureMapWalk::WalkEntry(
    std::string_view message) {
  std::string_view rest = message;
  std::string_view name;
  const auto* known = layout_.MatchEntry(entries_, message, record_end_);
  if (known != nullptr) {
    name = {message.data() + 2, known->begin_size - 2};
    rest.remove_prefix(known->begin_size);
  } else if (!TakePlainName(rest, name)) {
    return WalkUnusualEntry(message);
  }
  PlainValue value;
  if (!ReadPlainValue(rest, record_end_, value)) {
    return WalkUnusualEntry(message);
  }
  FoundFeature* const found = known != nullptr ? &Place(*known) : Known(name);
  if (found == nullptr) return WalkUnusualEntry(message);
  if (values_.WalkPlainValues(value.type, value.values, Begin(name, *found))) {
    return true;
  }
  name_ = name;
  return false;
}

// The entries up to the first field that is none or has a size of over 3 bytes;
// what is left then is read as any message.
bool FeatureMapWalk::Walk(std::string_view message) {
  const char* at = message.data();
  const char* const end = at + message.size();
  if (of_ == Of::kFeature) {
    const char* field = at;
    for (size_t size; plain_entry::EnterField(at, end, kMapEntryTag, size);
         field = at) {
      if (!WalkEntry({at, size})) return false;
      at += size;
    }
    at = field;
  }
  WireReader in({at, static_cast<size_t>(end - at)}, rules_.defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kMapEntryTag) {
      std::string_view entry;
      if (!in.ReadChunk(entry) || !WalkUnusualEntry(entry)) return false;
    } else if (!rules_.SkipUnknown(in, tag, kGroupsInMap,
                                   "an unknown field beside the features")) {
      return false;
    }
  }
  return rules_.defect.what == nullptr;
}

// Several keys: the last is the name. Several values: one merged value.
bool FeatureMapWalk::WalkUnusualEntry(std::string_view message) {
  std::string_view key;
  if (!ReadKey(message, rules_, key)) return false;
  name_ = key;
  FoundFeature& found = Begin(key, *Known(key));
  WireReader in(message, rules_.defect);
  bool has_value = false;
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kValue) {
      if (has_value && rules_.strict()) {
        return rules_.defect.Refuse("an entry with several values", in.at());
      }
      has_value = true;
      std::string_view value;
      if (!in.ReadChunk(value) || !WalkValue(value, found)) return false;
    } else if (!in.Skip(tag, kGroupsInEntry)) {
      return false;
    }
  }
  if (rules_.defect.what != nullptr) return false;
  if (!has_value && rules_.strict()) {
    return rules_.defect.Refuse("an entry without a value", message.data());
  }
  name_.reset();
  return true;
}

bool FeatureMapWalk::WalkValue(std::string_view message,
                               FoundFeature& found) const {
  return of_ == Of::kFeature ? values_.WalkFeature(message, found)
                             : values_.WalkFeatureList(message, found);
}

bool FeatureMapWalk::CheckNames() {
  layout_.Truncate(entries_);
  std::ranges::sort(row_names_, [](std::string_view a, std::string_view b) {
    const int order = a.compare(b);
    return order != 0 ? order < 0 : a.data() < b.data();
  });
  const auto twice = std::ranges::adjacent_find(row_names_);
  if (twice == row_names_.end()) return true;
  name_ = *twice;
  return rules_.defect.Refuse("a feature that comes twice",
                              std::next(twice)->data());
}

bool ReadKey(std::string_view entry, const WireRules& rules,
             std::string_view& key) {
  key = {};
  bool has_key = false;
  WireReader in(entry, rules.defect);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kKey) {
      if (has_key && rules.strict()) {
        return rules.defect.Refuse("an entry with several names", in.at());
      }
      has_key = true;
      if (!in.ReadChunk(key)) return false;
      if (!IsUtf8(key)) {
        return in.Fail("a feature name that is not UTF-8", key.data());
      }
    } else if (tag == kValue) {
      if (!in.Skip(tag, kGroupsInEntry)) return false;
    } else if (!rules.SkipUnknown(in, tag, kGroupsInEntry,
                                  "an unknown field in an entry")) {
      return false;
    }
  }
  if (!has_key && rules.strict() && rules.defect.what == nullptr) {
    return rules.defect.Refuse("an entry without a name", entry.data());
  }
  return rules.defect.what == nullptr;
}

}  // namespace penstock
