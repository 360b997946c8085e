#include "formats/example/example_walk.h"

#include <algorithm>

#include "formats/example/feature_tags.h"
#include "formats/example/plain_entry.h"

namespace penstock {
namespace {

using feature_tags::kFeatures;

}  // namespace

bool ExampleWalk::Walk(std::string_view record) {
  defect_ = {};
  const char* const end = record.data() + record.size();
  features_.BeginRow(end);
  const char* at = record.data();
  if (plain_entry::EnterLastField(at, end, kFeatures)) {
    return features_.Walk({at, static_cast<size_t>(end - at)}) &&
           features_.EndRow();
  }
  WireReader in(record, defect_);
  for (uint32_t tag; in.NextTag(tag);) {
    if (tag == kFeatures) {
      std::string_view features;
      if (!in.ReadChunk(features) || !features_.Walk(features)) return false;
    } else if (mode_ == ExampleMode::kStrict && IsGroup(tag)) {
      return defect_.Refuse("an unknown group", in.at());
    } else if (!in.Skip(tag, kWireDepthLimit)) {
      return false;
    }
  }
  return defect_.what == nullptr && features_.EndRow();
}

std::vector<std::string_view> NamesInExample(std::string_view record,
                                             size_t limit) {
  std::vector<std::string_view> names;
  WireDefect defect;
  const WireRules rules = {ExampleMode::kLax, defect};
  WireReader in(record, defect);
  for (uint32_t tag; in.NextTag(tag);) {
    std::string_view features;
    if (tag != kFeatures) {
      in.Skip(tag, kWireDepthLimit);
      continue;
    }
    if (!in.ReadChunk(features)) return names;
    WireReader entries(features, defect);
    while (names.size() < limit && entries.NextTag(tag)) {
      std::string_view entry;
      std::string_view key;
      if (tag != kMapEntryTag) {
        entries.Skip(tag, kGroupsInMap);
      } else if (entries.ReadChunk(entry) && ReadKey(entry, rules, key) &&
                 std::ranges::find(names, key) == names.end()) {
        names.push_back(key);
      }
    }
  }
  return names;
}

}  // namespace penstock
