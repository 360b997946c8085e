#include "formats/example/sequence_writer.h"

#include <cstddef>

#include "formats/example/feature_bytes.h"
#include "formats/example/feature_tags.h"

namespace penstock {
namespace {

using feature_tags::kFeatureLists;
using feature_tags::kStep;

}  // namespace

void SequenceWriter::AddList(std::string_view name) {
  if (lists_.find(name) == lists_.end()) lists_.emplace(std::string(name), "");
}

void SequenceWriter::AddStep(std::string_view list) {
  AddList(list);
  AppendField(kStep, feature_, lists_.find(list)->second);
  feature_.clear();
}

void SequenceWriter::AddBytes(std::string_view list, std::string_view value) {
  AppendBytesFeature(value, feature_);
  AddStep(list);
}

void SequenceWriter::AddBytes(std::string_view list,
                              std::span<const std::string_view> values) {
  AppendBytesFeature(values, feature_);
  AddStep(list);
}

void SequenceWriter::AddInts(std::string_view list,
                             std::span<const int64_t> values) {
  AppendIntsFeature(values, feature_);
  AddStep(list);
}

void SequenceWriter::AddFloats(std::string_view list,
                               std::span<const float> values) {
  AppendFloatsFeature(values, feature_);
  AddStep(list);
}

void SequenceWriter::Finish(std::string& out) {
  context_.Finish(out);  // an Example's one field is the context's
  size_t size = 0;
  for (const auto& [name, list] : lists_) {
    size += EntryFieldBytes(name.size(), list.size());
  }
  AppendHeader(kFeatureLists, size, out);
  for (const auto& [name, list] : lists_) AppendEntryField(name, list, out);
  lists_.clear();
}

}  // namespace penstock
