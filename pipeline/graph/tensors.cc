#include "pipeline/graph/tensors.h"

#include <algorithm>
#include <string>
#include <utility>

#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/noise_spans.h"

namespace penstock {
namespace {

constexpr int64_t kLength = TensorSpec::kBucketLength;

class TensorLister {
 public:
  explicit TensorLister(const Stages& stages) : stages_(stages) {}

  std::vector<BatchTensor> List() {
    for (size_t i = 0; i < stages_.batched.size(); ++i) AddFeature(i);
    for (size_t i = 0; i < stages_.derived.size(); ++i) AddDerived(i);
    if (stages_.objective) {
      std::visit([&](const auto& objective) { AddObjective(objective); },
                 *stages_.objective);
    }
    tensors_.push_back({.spec = {.name = kRowMaskName,
                                 .type = ElementType::kFloat32,
                                 .row_shape = {},
                                 .role = Role::kWeights}});
    return std::move(tensors_);
  }

 private:
  void AddFeature(size_t i) {
    const Feature& feature = stages_.batched[i];
    const bool varies = feature.length == Feature::kVarying;
    TensorSpec values = {.name = feature.name,
                         .type = TypeInBatch(feature),
                         .row_shape = feature.shape,
                         .pad_value = PadValueOf(stages_, feature)};
    if (varies) {
      SetLength(feature.name, values);
    } else if (feature.shape.empty() && feature.length > 1) {
      values.row_shape = {feature.length};
    }
    const auto* const spans =
        stages_.objective ? std::get_if<SpanCorruption>(&*stages_.objective)
                          : nullptr;
    // Inputs and targets stand for it.
    if (spans == nullptr || spans->of != feature.name) {
      tensors_.push_back({.spec = std::move(values), .feature = i});
    }
    if (varies) {
      tensors_.push_back(
          {.spec = Lengths(LengthsName(feature.name)), .feature = i});
    } else if (feature.optional) {
      tensors_.push_back({.spec = {.name = PresenceName(feature.name),
                                   .type = ElementType::kFloat32,
                                   .row_shape = {},
                                   .role = Role::kPresence},
                          .feature = i});
    }
  }

  void AddDerived(size_t i) {
    const Derived& derived = stages_.derived[i];
    TensorSpec spec = {.name = derived.name,
                       .type = ElementType::kInt32,
                       .row_shape = {},
                       .role = Role::kDerived};
    SetLength(derived.of, spec);
    const std::optional<size_t> feature = FindFeature(stages_, derived.of);
    switch (derived.kind) {
      case Derivation::kSegmentIds:
      case Derivation::kPositions:
        break;
      case Derivation::kSegmentLengths:
        spec.row_shape = {derived.most};
        spec.own_lengths.clear();
        break;
      case Derivation::kLabels:
        if (feature) spec.type = SignedTypeFor(stages_.batched[*feature]);
        spec.pad_value = static_cast<double>(derived.ignore);
        break;
      case Derivation::kLossWeights:
        spec.type = ElementType::kFloat32;
        break;
    }
    tensors_.push_back(
        {.spec = std::move(spec), .feature = feature, .derived = i});
  }

  // They are made of derived tensors.
  void AddObjective(const CausalLm&) {}
  void AddObjective(const FillInMiddle&) {}
  void AddObjective(const PrefixLm& prefix) {
    AddMade(prefix.of, "_prefix", ElementType::kBool, 0);
    AddMade(prefix.of, "_loss_weights", ElementType::kFloat32, 0);
  }
  void AddObjective(const MaskedLm& masked) {
    const auto feature = FindFeature(stages_, masked.of);
    AddMade(masked.of, "_labels",
            feature ? SignedTypeFor(stages_.batched[*feature])
                    : ElementType::kInt32,
            static_cast<double>(masked.ignore));
    AddMade(masked.of, "_loss_weights", ElementType::kFloat32, 0);
  }
  void AddObjective(const SpanCorruption& spans) {
    const auto feature = FindFeature(stages_, spans.of);
    if (!feature) return;
    const Feature& of = stages_.batched[*feature];
    for (const bool inputs : {true, false}) {
      TensorSpec spec = {.name = spans.of + (inputs ? "_inputs" : "_targets"),
                         .type = TypeInBatch(of),
                         .row_shape = {TensorSpec::kOwnLength},
                         .pad_value = PadValueOf(stages_, of),
                         .role = Role::kObjective};
      for (const int64_t length : stages_.LengthsOf(spans.of)) {
        const NoiseCounts counts = CountNoise(spans, length);
        spec.own_lengths.push_back(inputs ? counts.inputs : counts.targets);
      }
      TensorSpec lengths = Lengths(LengthsName(spec.name));
      lengths.role = Role::kObjective;
      tensors_.push_back({.spec = std::move(spec), .feature = feature});
      tensors_.push_back({.spec = std::move(lengths), .feature = feature});
    }
  }

  void AddMade(const std::string& of, const char* suffix, ElementType type,
               double pad_value) {
    TensorSpec spec = {.name = of + suffix,
                       .type = type,
                       .row_shape = {},
                       .pad_value = pad_value,
                       .role = Role::kObjective};
    SetLength(of, spec);
    tensors_.push_back(
        {.spec = std::move(spec), .feature = FindFeature(stages_, of)});
  }

  // As long as the tensor of feature `of`.
  void SetLength(const std::string& of, TensorSpec& spec) const {
    const std::vector<std::string> arranging = stages_.arranging();
    const bool own = std::find(arranging.begin() + 1, arranging.end(), of) !=
                     arranging.end();
    spec.row_shape = {own ? TensorSpec::kOwnLength : kLength};
    if (own) spec.own_lengths = stages_.LengthsOf(of);
  }

  static TensorSpec Lengths(std::string name) {
    return {.name = std::move(name),
            .type = ElementType::kInt32,
            .row_shape = {},
            .role = Role::kLengths};
  }

  const Stages& stages_;
  std::vector<BatchTensor> tensors_;
};

}  // namespace

ElementType TypeInBatch(const Feature& feature) {
  if (feature.as) return *feature.as;
  if (feature.type == FeatureType::kFloat) return ElementType::kFloat32;
  return feature.type == FeatureType::kBytes ? ElementType::kUint8
                                             : ElementType::kInt32;
}

ElementType SignedTypeFor(const Feature& feature) {
  const ElementType type = TypeInBatch(feature);
  return type == ElementType::kInt64 || type == ElementType::kUint32
             ? ElementType::kInt64
             : ElementType::kInt32;
}

double PadValueOf(const Stages& stages, const Feature& feature) {
  if (feature.pad_value) return *feature.pad_value;
  if (feature.name == stages.by()) return stages.pad_value();
  if (!stages.bucket) return 0;
  const auto with =
      std::ranges::find(stages.bucket->with, feature.name, &BucketFeature::by);
  return with == stages.bucket->with.end() ? 0 : with->pad_value;
}

std::optional<size_t> FindFeature(const Stages& stages,
                                  const std::string& name) {
  for (size_t i = 0; i < stages.batched.size(); ++i) {
    if (stages.batched[i].name == name) return i;
  }
  return std::nullopt;
}

std::vector<BatchTensor> TensorsOf(const Stages& stages) {
  return TensorLister(stages).List();
}

}  // namespace penstock
