#include "pipeline/graph/check_derived.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/graph/feature_form.h"
#include "pipeline/graph/noise_spans.h"
#include "pipeline/graph/tensors.h"

namespace penstock {
namespace {

Status WrongTensor(std::string message) {
  return InvalidArgumentError(std::move(message));
}

// A feature of any number of integers.
StatusOr<const Feature*> TokensOf(const Stages& stages, std::string_view what,
                                  const std::string& name) {
  const auto i = FindFeature(stages, name);
  if (!i) {
    return WrongTensor(fmt::format(
        "{} of \"{}\", which is no feature of the batches", what, name));
  }
  const Feature& feature = stages.batched[*i];
  if (feature.length != Feature::kVarying) {
    return WrongTensor(fmt::format(
        "{} of \"{}\", which always has {} values: it is for features of any "
        "number of values",
        what, name, feature.length));
  }
  if (!IsInteger(TypeInBatch(feature))) {
    return WrongTensor(
        fmt::format("{} of \"{}\", which is {}: tokens are "
                    "integers",
                    what, name, ElementTypeName(TypeInBatch(feature))));
  }
  return &feature;
}

Status CheckPrompt(const Stages& stages, const Feature& of,
                   const std::string& prompt) {
  if (prompt.empty()) return OkStatus();
  if (of.cut_side == Side::kLeft) {
    return WrongTensor(fmt::format(
        "the prompt \"{}\" counts from the beginning of records, which "
        "Side::kLeft cuts off",
        prompt));
  }
  const auto i = FindFeature(stages, prompt);
  if (i && stages.batched[*i].type == FeatureType::kInt64 &&
      stages.batched[*i].length == 1) {
    return OkStatus();
  }
  return WrongTensor(fmt::format(
      "the prompt \"{}\" of LossWeights must be an int64 feature of length 1",
      prompt));
}

Status CheckOne(const Stages& stages, const Derived& derived) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const Feature* const feature,
      TokensOf(stages, fmt::format("Derive \"{}\"", derived.name), derived.of));
  if (derived.kind == Derivation::kSegmentLengths && derived.most < 1) {
    return WrongTensor(fmt::format(
        "\"{}\" holds the lengths of {} segments: give SegmentLengths "
        "how many a row has at most",
        derived.name, derived.most));
  }
  if (derived.kind == Derivation::kPositions &&
      derived.positions_in == PositionsIn::kRecord &&
      feature->cut_side == Side::kLeft) {
    return WrongTensor(fmt::format(
        "\"{}\" counts from the beginning of records, which Side::kLeft cuts "
        "off: use PositionsIn::kPiece",
        derived.name));
  }
  if (derived.kind != Derivation::kLossWeights) return OkStatus();
  for (const Derived& other : stages.derived) {
    if (other.kind != Derivation::kLabels || other.of != derived.of ||
        other.piece_end == derived.piece_end) {
      continue;
    }
    return WrongTensor(fmt::format(
        "\"{}\" and \"{}\" have different PieceEnds: give both the same",
        derived.name, other.name));
  }
  return CheckPrompt(stages, *feature, derived.prompt);
}

Status CheckId(std::string_view what, int64_t id, const Feature& feature) {
  const ElementType type = TypeInBatch(feature);
  if (id >= 0 &&
      CheckPadValue(feature.name, type, static_cast<double>(id)).ok()) {
    return OkStatus();
  }
  return WrongTensor(fmt::format("{} is {}, which is no {} token of \"{}\"",
                                 what, id, ElementTypeName(type),
                                 feature.name));
}

Status CheckPart(std::string_view what, double part) {
  if (part >= 0 && part <= 1) return OkStatus();
  return WrongTensor(fmt::format("{} is {}: give 0 to 1", what, part));
}

class ObjectiveCheck {
 public:
  explicit ObjectiveCheck(const Stages& stages) : stages_(stages) {}

  Status operator()(const CausalLm&) const { return OkStatus(); }
  Status operator()(const PrefixLm& prefix) const {
    return TokensOf(stages_, "PrefixLm", prefix.of).status();
  }
  Status operator()(const FillInMiddle& fill) const {
    PENSTOCK_ASSIGN_OR_RETURN(const Feature* const feature,
                              TokensOf(stages_, "FillInMiddle", fill.of));
    PENSTOCK_RETURN_IF_ERROR(CheckPart("FillInMiddle::rate", fill.rate));
    PENSTOCK_RETURN_IF_ERROR(
        CheckPart("FillInMiddle::spm_rate", fill.spm_rate));
    PENSTOCK_RETURN_IF_ERROR(
        CheckId("FillInMiddle::prefix_id", fill.prefix_id, *feature));
    PENSTOCK_RETURN_IF_ERROR(
        CheckId("FillInMiddle::middle_id", fill.middle_id, *feature));
    return CheckId("FillInMiddle::suffix_id", fill.suffix_id, *feature);
  }
  Status operator()(const MaskedLm& masked) const {
    PENSTOCK_ASSIGN_OR_RETURN(const Feature* const feature,
                              TokensOf(stages_, "MaskedLm", masked.of));
    PENSTOCK_RETURN_IF_ERROR(CheckPart("MaskedLm::rate", masked.rate));
    PENSTOCK_RETURN_IF_ERROR(
        CheckPart("MaskedLm::mask_part", masked.mask_part));
    PENSTOCK_RETURN_IF_ERROR(
        CheckPart("MaskedLm::random_part", masked.random_part));
    PENSTOCK_RETURN_IF_ERROR(
        CheckPart("mask_part and random_part of MaskedLm together",
                  masked.mask_part + masked.random_part));
    PENSTOCK_RETURN_IF_ERROR(
        CheckId("MaskedLm::mask_id", masked.mask_id, *feature));
    PENSTOCK_RETURN_IF_ERROR(
        CheckId("MaskedLm::vocabulary, less one,",
                std::max<int64_t>(0, masked.vocabulary) - 1, *feature));
    if (!masked.word_starts.empty() &&
        masked.word_starts.size() != static_cast<size_t>(masked.vocabulary)) {
      return WrongTensor(fmt::format(
          "MaskedLm::word_starts has {} tokens, but the vocabulary {}",
          masked.word_starts.size(), masked.vocabulary));
    }
    for (const Derived& derived : stages_.derived) {
      if (derived.of != masked.of || derived.kind != Derivation::kLabels) {
        continue;
      }
      return WrongTensor(fmt::format(
          "\"{}\" would be made of what MaskedLm left of \"{}\": leave it out",
          derived.name, masked.of));
    }
    return OkStatus();
  }
  Status operator()(const SpanCorruption& spans) const {
    if (stages_.pack) {
      return WrongTensor(
          "SpanCorruption after Pack: its inputs and targets are of one record "
          "a row; use Bucket or Pad");
    }
    PENSTOCK_ASSIGN_OR_RETURN(const Feature* const feature,
                              TokensOf(stages_, "SpanCorruption", spans.of));
    if (spans.of != stages_.by()) {
      return WrongTensor(fmt::format(
          "SpanCorruption of \"{}\", but rows are arranged by \"{}\": give "
          "both the same",
          spans.of, stages_.by()));
    }
    if (!(spans.density > 0 && spans.density < 1)) {
      return WrongTensor(
          fmt::format("SpanCorruption::density is {}: give a part between 0 "
                      "and 1",
                      spans.density));
    }
    if (!(spans.mean_length >= 1)) {
      return WrongTensor(fmt::format(
          "SpanCorruption::mean_length is {}: spans have 1 token at least",
          spans.mean_length));
    }
    PENSTOCK_RETURN_IF_ERROR(
        CheckId("SpanCorruption::sentinel", spans.sentinel, *feature));
    if (spans.eos) {
      PENSTOCK_RETURN_IF_ERROR(
          CheckId("SpanCorruption::eos", *spans.eos, *feature));
    }
    if (stages_.grid() && stages_.too_long() == TooLong::kTruncate) {
      return WrongTensor(
          "SpanCorruption of rows that Bucket by several features cuts: use "
          "TooLong::kDrop or TooLong::kError");
    }
    // Lengths that are chosen are not there at first.
    const std::vector<int64_t> lengths = stages_.LengthsOf(spans.of);
    const int64_t longest = lengths.empty() ? 0 : lengths.back();
    const int64_t most = CountNoise(spans, longest).spans;
    if (spans.sentinel < most - 1) {
      return WrongTensor(fmt::format(
          "a row of {} tokens has {} spans, but there are only {} sentinels "
          "from {} down",
          longest, most, spans.sentinel + 1, spans.sentinel));
    }
    for (const Derived& derived : stages_.derived) {
      if (derived.of != spans.of) continue;
      return WrongTensor(fmt::format(
          "\"{}\" is made of \"{}\", which SpanCorruption replaces: leave it "
          "out",
          derived.name, spans.of));
    }
    return OkStatus();
  }

 private:
  const Stages& stages_;
};

}  // namespace

void ExpandObjective(Stages& stages) {
  if (!stages.objective) return;
  if (const auto* causal = std::get_if<CausalLm>(&*stages.objective)) {
    stages.derived.push_back(
        Labels(causal->of,
               {.ignore = causal->ignore, .piece_end = causal->piece_end}));
    stages.derived.push_back(LossWeights(
        causal->of,
        {.prompt = causal->prompt, .piece_end = causal->piece_end}));
    stages.objective.reset();
  } else if (const auto* fill = std::get_if<FillInMiddle>(&*stages.objective)) {
    // What follows the middle is no continuation of it.
    stages.derived.push_back(Labels(
        fill->of, {.ignore = fill->ignore, .piece_end = PieceEnd::kIgnore}));
    stages.derived.push_back(
        LossWeights(fill->of, {.piece_end = PieceEnd::kIgnore}));
  } else if (const auto* prefix = std::get_if<PrefixLm>(&*stages.objective)) {
    stages.derived.push_back(
        Labels(prefix->of,
               {.ignore = prefix->ignore, .piece_end = prefix->piece_end}));
  }
}

Status CheckDerived(const Stages& stages) {
  for (const Derived& derived : stages.derived) {
    PENSTOCK_RETURN_IF_ERROR(CheckOne(stages, derived));
  }
  if (stages.objective) {
    PENSTOCK_RETURN_IF_ERROR(
        std::visit(ObjectiveCheck(stages), *stages.objective));
  }
  std::set<std::string> names;
  for (const BatchTensor& tensor : TensorsOf(stages)) {
    const TensorSpec& spec = tensor.spec;
    if (!names.insert(spec.name).second) {
      return WrongTensor(
          fmt::format("two tensors would be called \"{}\"", spec.name));
    }
    PENSTOCK_RETURN_IF_ERROR(
        CheckPadValue(spec.name, spec.type, spec.pad_value));
  }
  return OkStatus();
}

}  // namespace penstock
