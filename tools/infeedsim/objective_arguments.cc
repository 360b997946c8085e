#include "tools/infeedsim/objective_arguments.h"

#include <algorithm>
#include <utility>

#include "pipeline/derive.h"
#include "pipeline/objective.h"

namespace penstock {

void ObjectiveArguments::AddTo(Command& command) {
  ArgumentGroup& group = command.Group("Objective");
  group.Choice("--objective", objective,
               {{"none", ObjectiveName::kNone},
                {"causal", ObjectiveName::kCausal},
                {"prefix", ObjectiveName::kPrefix},
                {"fill-in-middle", ObjectiveName::kFill},
                {"masked", ObjectiveName::kMasked},
                {"span-corruption", ObjectiveName::kSpans}},
               "What is to be learned from the tokens: labels and loss weights "
               "are made, or inputs and targets");
  group.Number("--objective-seed", seed, "SEED", "Of what an objective draws")
      .Needs("--objective");
  group
      .Number("--ignore", ignore, "ID", "Label where there is nothing to learn")
      .Needs("--objective");
  group.Number("--mask-id", mask_id, "ID", "Token of masked places, for masked")
      .DefaultsTo("none")
      .AtLeast(0)
      .Needs("--objective");
  group
      .Number("--vocabulary", vocabulary, "N",
              "Random tokens are below it, for masked")
      .DefaultsTo("none")
      .AtLeast(1)
      .Needs("--objective");
  group
      .Number("--sentinel", sentinel, "ID",
              "Token of the first span, those of others are below it, for "
              "span-corruption")
      .DefaultsTo("none")
      .AtLeast(0)
      .Needs("--objective");
  group
      .Number("--eos-id", eos, "ID",
              "Token that ends inputs and targets, for span-corruption")
      .DefaultsTo("none")
      .AtLeast(0)
      .Needs("--objective");
  group
      .Number("--fill-ids", fill_ids, "ID",
              "Tokens before prefix, middle and suffix, for fill-in-middle")
      .AtLeast(0)
      .Needs("--objective");
  group.Flag("--segment-ids", segment_ids,
             "Adds the number of each token's piece of its row");
  group.Flag("--positions", positions, "Adds each token's place in its piece");
}

Dataset ObjectiveArguments::Apply(Dataset dataset,
                                  const std::string& of) const {
  std::vector<Derived> derived;
  if (segment_ids) derived.push_back(SegmentIds(of));
  if (positions) derived.push_back(Positions(of));
  if (!derived.empty()) dataset = dataset.Derive(std::move(derived));
  std::vector<int64_t> ids = fill_ids;
  ids.resize(std::max<size_t>(ids.size(), 3), -1);
  switch (objective) {
    case ObjectiveName::kNone:
      return dataset;
    case ObjectiveName::kCausal:
      return dataset.Objective(CausalLm{.of = of, .ignore = ignore});
    case ObjectiveName::kPrefix:
      return dataset.Objective(
          PrefixLm{.of = of, .seed = seed, .ignore = ignore});
    case ObjectiveName::kFill:
      return dataset.Objective(FillInMiddle{.of = of,
                                            .seed = seed,
                                            .prefix_id = ids[0],
                                            .middle_id = ids[1],
                                            .suffix_id = ids[2],
                                            .ignore = ignore});
    case ObjectiveName::kMasked:
      return dataset.Objective(MaskedLm{.of = of,
                                        .seed = seed,
                                        .mask_id = mask_id,
                                        .vocabulary = vocabulary,
                                        .ignore = ignore});
    case ObjectiveName::kSpans:
      return dataset.Objective(SpanCorruption{
          .of = of, .seed = seed, .sentinel = sentinel, .eos = eos});
  }
  return dataset;
}

}  // namespace penstock
