#include "formats/example/example_writer.h"

#include <algorithm>
#include <cstddef>

#include "formats/example/feature_bytes.h"
#include "formats/example/feature_tags.h"

namespace penstock {
namespace {

using feature_tags::kFeatures;

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
  AppendBytesFeature(value, EntryFor(name));
}

void ExampleWriter::SetBytes(std::string_view name,
                             std::span<const std::string_view> values) {
  AppendBytesFeature(values, EntryFor(name));
}

void ExampleWriter::SetInts(std::string_view name,
                            std::span<const int64_t> values) {
  AppendIntsFeature(values, EntryFor(name));
}

void ExampleWriter::SetInts(std::string_view name,
                            std::span<const int64_t> values,
                            FeatureEncoding encoding) {
  if (encoding == FeatureEncoding::kPlain) return SetInts(name, values);
  AppendNumbersFeature(values, NumberBytes(encoding), EntryFor(name));
}

void ExampleWriter::SetFloats(std::string_view name,
                              std::span<const float> values) {
  AppendFloatsFeature(values, EntryFor(name));
}

void ExampleWriter::Finish(std::string& out) {
  size_t features_bytes = 0;
  size_t used = 0;
  for (const Entry& entry : entries_) {
    if (entry.feature.empty()) continue;
    features_bytes += EntryFieldBytes(entry.name.size(), entry.feature.size());
    ++used;
  }
  AppendHeader(kFeatures, features_bytes, out);
  for (Entry& entry : entries_) {
    if (!entry.feature.empty())
      AppendEntryField(entry.name, entry.feature, out);
  }
  // Names that come and go must not pile up.
  if (used * 2 < entries_.size()) {
    std::erase_if(entries_, [](const Entry& e) { return e.feature.empty(); });
  }
  for (Entry& entry : entries_) entry.feature.clear();
}

}  // namespace penstock
