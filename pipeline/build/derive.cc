#include "pipeline/build/deriver.h"

#include <string>
#include <utility>
#include <variant>

#include "pipeline/build/derivers.h"
#include "pipeline/graph/tensors.h"

namespace penstock {
namespace {

class DeriverMaker {
 public:
  DeriverMaker(const Stages& stages, uint64_t dataset)
      : stages_(stages), dataset_(dataset), tensors_(TensorsOf(stages)) {}

  std::vector<std::shared_ptr<const Deriver>> Make() {
    if (stages_.objective) {
      std::visit([&](const auto& objective) { Add(objective); },
                 *stages_.objective);
    }
    for (size_t t = 0; t < tensors_.size(); ++t) {
      if (tensors_[t].derived) {
        made_.push_back(Make(stages_.derived[*tensors_[t].derived], t));
      }
    }
    return std::move(made_);
  }

 private:
  size_t Find(const std::string& name) const {
    size_t t = 0;
    while (t < tensors_.size() && tensors_[t].spec.name != name) ++t;
    return t;
  }
  // Of the objective.
  size_t First() const {
    size_t t = 0;
    while (tensors_[t].spec.role != Role::kObjective) ++t;
    return t;
  }
  TokensTensor Of(const std::string& name) const {
    const size_t feature = *FindFeature(stages_, name);
    return {.feature = PlaceOf(stages_, feature),
            .type = TypeInBatch(stages_.batched[feature]),
            .tensor = Find(name)};
  }

  std::shared_ptr<const Deriver> Make(const Derived& derived, size_t t) const {
    const TokensTensor of = Of(derived.of);
    switch (derived.kind) {
      case Derivation::kSegmentIds:
        return DeriveSegmentIds(of, t);
      case Derivation::kSegmentLengths:
        return DeriveSegmentLengths(of, derived, t);
      case Derivation::kPositions:
        return DerivePositions(of, derived.positions_in, t);
      case Derivation::kLabels:
        return DeriveLabels(of, derived,
                            tensors_[t].spec.type == ElementType::kInt64, t);
      case Derivation::kLossWeights:
        return DeriveLossWeights(of, derived.piece_end,
                                 FindFeature(stages_, derived.prompt), t);
    }
    return nullptr;
  }

  void Add(const CausalLm&) {}
  void Add(const FillInMiddle&) {}  // works while tokens are copied
  void Add(const PrefixLm& prefix) {
    made_.push_back(MakePrefixLm(Of(prefix.of), prefix, dataset_, First()));
  }
  void Add(const MaskedLm& masked) {
    made_.push_back(MakeMaskedLm(Of(masked.of), masked, dataset_, First()));
  }
  void Add(const SpanCorruption& spans) {
    made_.push_back(MakeSpanCorruption(Of(spans.of), spans,
                                       tensors_[First()].spec.pad_value,
                                       dataset_, First()));
  }

  const Stages& stages_;
  const uint64_t dataset_;
  const std::vector<BatchTensor> tensors_;
  std::vector<std::shared_ptr<const Deriver>> made_;
};

}  // namespace

std::vector<std::shared_ptr<const Deriver>> MakeDerivers(const Stages& stages,
                                                         uint64_t dataset) {
  return DeriverMaker(stages, dataset).Make();
}

}  // namespace penstock
