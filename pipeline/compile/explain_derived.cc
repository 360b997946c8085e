#include "pipeline/compile/explain_derived.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <variant>
#include <vector>

#include "pipeline/build/batch_layout.h"
#include "pipeline/graph/row_ops.h"
#include "pipeline/graph/row_parts.h"
#include "pipeline/mask_view.h"
#include "pipeline/state.h"

namespace penstock {
namespace {

class ObjectiveText {
 public:
  std::string operator()(const CausalLm& causal) const {
    return fmt::format("the next of {}", causal.of);
  }
  std::string operator()(const PrefixLm& prefix) const {
    return fmt::format("the next of {} behind a random prefix, seed {}",
                       prefix.of, prefix.seed);
  }
  std::string operator()(const FillInMiddle& fill) const {
    return fmt::format(
        "the next of {}, where {} % of pieces have their middle last ({} % of "
        "these their suffix first), seed {}",
        fill.of, 100 * fill.rate, 100 * fill.spm_rate, fill.seed);
  }
  std::string operator()(const MaskedLm& masked) const {
    return fmt::format(
        "{} % of {} of {}: {} % become {}, {} % random ones below {}, seed {}",
        100 * masked.rate, masked.word_starts.empty() ? "tokens" : "words",
        masked.of, 100 * masked.mask_part, masked.mask_id,
        100 * masked.random_part, masked.vocabulary, masked.seed);
  }
  std::string operator()(const SpanCorruption& spans) const {
    return fmt::format(
        "spans of {} tokens, {} % of {}, sentinels from {} down, seed {}",
        spans.mean_length, 100 * spans.density, spans.of, spans.sentinel,
        spans.seed);
  }
};

}  // namespace

std::string DescribeTokenize(const Stages& stages) {
  std::string text;
  const auto add = [&](const SourceStages& source, const std::string& of) {
    if (!source.tokenize) return;
    const TokenizeOptions& options = source.tokenize->options;
    text += fmt::format("  tokenize  {} -> {} with {}{}\n", options.from,
                        options.to, source.tokenize->tokenizer->Describe(), of);
  };
  for (size_t s = 0; s < stages.sources.size(); ++s) {
    const SourceStages& source = stages.sources[s];
    const std::string of = OfSource(s, stages.sources.size());
    for (size_t side = 0; side < source.sides.size(); ++side) {
      add(source.sides[side], OfSide(side) + of);
    }
    add(source, of);
  }
  return text;
}

std::string DescribeDerived(const Stages& stages) {
  std::string text;
  std::vector<StatePart> row_ops;
  AddRowOpParts(stages, row_ops);
  for (const StatePart& op : row_ops) {
    text += fmt::format("  rows      {}\n", op.name);
  }
  if (!stages.derived.empty()) {
    std::vector<std::string> names;
    for (const Derived& derived : stages.derived) names.push_back(derived.name);
    text += fmt::format("  derive    {}\n", fmt::join(names, ", "));
  }
  if (stages.objective) {
    text += fmt::format("  objective {}\n",
                        std::visit(ObjectiveText(), *stages.objective));
  }
  return text;
}

std::string DescribeDerivedBytes(const Contract& contract) {
  const size_t longest = contract.shapes() - 1;
  const int64_t rows = contract.RowsOf(longest);
  uint64_t derived = 0;
  std::vector<std::string> parts;
  for (const TensorSpec& tensor : contract.tensors) {
    if (tensor.role != Role::kDerived && tensor.role != Role::kObjective) {
      continue;
    }
    const Contract one = {
        .rows = rows, .lengths = contract.lengths, .tensors = {tensor}};
    const uint64_t bytes = BatchBytes(one, longest, rows);
    parts.push_back(fmt::format("{} {}", tensor.name, bytes));
    derived += bytes;
  }
  if (parts.empty()) return "";
  std::string text =
      fmt::format("derived: {} of the {} bytes of a batch of length {}: {}\n",
                  derived, BatchBytes(contract, longest, rows),
                  contract.lengths[longest], fmt::join(parts, ", "));
  const int64_t length = contract.lengths[longest];
  for (const TensorSpec& tensor : contract.tensors) {
    if (tensor.role != Role::kDerived ||
        !tensor.name.ends_with("segment_ids")) {
      continue;
    }
    text += fmt::format(
        "masks: views of {}; made, [{}, 1, 1, {}] would take {} bytes and [{}, "
        "1, {}, {}] {}\n",
        tensor.name, rows, length, KeyMaskBytes(rows, length), rows, length,
        length, PairMaskBytes(rows, length));
  }
  return text;
}

}  // namespace penstock
