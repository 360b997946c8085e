#include "pipeline/graph/derived_parts.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <variant>

namespace penstock {
namespace {

uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }
uint64_t Bits(int64_t value) { return static_cast<uint64_t>(value); }

class ObjectiveHash {
 public:
  explicit ObjectiveHash(Fingerprinter& hash) : hash_(hash) {}

  void operator()(const CausalLm&) const {}
  void operator()(const PrefixLm& prefix) const {
    hash_.Add("PrefixLm").Add(prefix.of).Add(prefix.seed);
    hash_.Add(static_cast<uint64_t>(prefix.piece_end));
  }
  void operator()(const FillInMiddle& fill) const {
    hash_.Add("FillInMiddle").Add(fill.of).Add(fill.seed);
    hash_.Add(Bits(fill.rate)).Add(Bits(fill.spm_rate));
    hash_.Add(Bits(fill.prefix_id)).Add(Bits(fill.middle_id));
    hash_.Add(Bits(fill.suffix_id));
  }
  void operator()(const MaskedLm& masked) const {
    hash_.Add("MaskedLm").Add(masked.of).Add(masked.seed);
    hash_.Add(Bits(masked.rate)).Add(Bits(masked.mask_part));
    hash_.Add(Bits(masked.random_part)).Add(Bits(masked.mask_id));
    hash_.Add(Bits(masked.vocabulary)).Add(Bits(masked.ignore));
    for (const bool starts : masked.word_starts) hash_.Add(uint64_t{starts});
    hash_.Add(masked.never.size());
    for (const int64_t token : masked.never) hash_.Add(Bits(token));
  }
  void operator()(const SpanCorruption& spans) const {
    hash_.Add("SpanCorruption").Add(spans.of).Add(spans.seed);
    hash_.Add(Bits(spans.density)).Add(Bits(spans.mean_length));
    hash_.Add(Bits(spans.sentinel)).Add(Bits(spans.eos.value_or(-1)));
  }

 private:
  Fingerprinter& hash_;
};

}  // namespace

void AddForm(const Feature& feature, Fingerprinter& hash) {
  // States of graphs that say nothing here are those of earlier releases.
  const Feature plain;
  if (!feature.shape.empty()) hash.Add("shape");
  for (const int64_t size : feature.shape) hash.Add(Bits(size));
  if (feature.pad_value) hash.Add("pad_value").Add(Bits(*feature.pad_value));
  if (feature.pad_side != plain.pad_side) hash.Add("pad_side");
  if (feature.cut_side != plain.cut_side) hash.Add("cut_side");
}

void AddDerivedParts(const Stages& stages, std::vector<StatePart>& parts) {
  if (!stages.derived.empty()) {
    Fingerprinter hash;
    for (const Derived& derived : stages.derived) {
      hash.Add(static_cast<uint64_t>(derived.kind))
          .Add(derived.of)
          .Add(derived.name)
          .Add(Bits(derived.ignore))
          .Add(static_cast<uint64_t>(derived.piece_end))
          .Add(static_cast<uint64_t>(derived.positions_in))
          .Add(derived.prompt)
          .Add(Bits(derived.most));
    }
    parts.push_back({"Derive", hash.Finish()});
  }
  if (stages.objective) {
    Fingerprinter hash;
    std::visit(ObjectiveHash(hash), *stages.objective);
    parts.push_back({"Objective", hash.Finish()});
  }
}

}  // namespace penstock
