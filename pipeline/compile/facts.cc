#include "pipeline/compile/facts.h"

#include <algorithm>

#include "pipeline/compile/explain.h"

namespace penstock {
namespace {

// Of what sources and orders hold as long as the pipeline is there.
void AddTables(const CompiledParts& of, std::vector<ByteBudget>& budgets) {
  const bool indexed = of.sources.indexed != nullptr;
  const uint64_t order =
      indexed ? of.tree.order->table_bytes() + of.tree.shared_table_bytes : 0;
  if (order > 0) {
    budgets.push_back({"tables of the order of records", order});
  }
  uint64_t columns = 0;
  uint64_t tokens = 0;
  uint64_t pages = indexed ? of.sources.indexed->most_mapped_bytes() : 0;
  for (const Source* source : of.sources.readers()) {
    if (source->columns != nullptr) columns += source->columns->table_bytes();
    if (source->megatron == nullptr) continue;
    tokens += source->megatron->table_bytes();
    pages += source->megatron->mapped_bytes();
  }
  if (columns > 0) {
    budgets.push_back(
        {"offsets and lengths of rows in memory, whose values are the "
         "program's",
         columns});
  }
  if (tokens > 0) {
    budgets.push_back({"lengths of the sequences of token files", tokens});
  }
  if (of.length_bytes > 0) {
    budgets.push_back(
        {"which pair of lengths each record has", of.length_bytes});
  }
  if (!indexed && pages == 0) return;
  budgets.push_back(
      {"pages of files that were read, mapped, which the system takes back",
       pages});
}

std::vector<ByteBudget> BudgetsOf(const CompiledParts& of) {
  const auto arranger = MakeArranger(of.arrange);
  const uint64_t batch =
      of.job.MostBatchBytes(arranger->MostPieces(), arranger->MostHeldPieces());
  std::vector<ByteBudget> budgets = of.placement.Budgets();
  budgets.insert(
      budgets.begin(),
      {"batches built and not yet taken, and memory of those taken before",
       of.options.buffer_bytes + std::max(of.options.buffer_bytes, batch)});
  AddTables(of, budgets);
  return budgets;
}

}  // namespace

PipelineFacts FactsOf(const CompiledParts& of) {
  const bool indexed = of.sources.indexed != nullptr;
  PipelineFacts facts = {.planned = of.choice.planned, .in_sequence = !indexed};
  if (indexed && of.tree.order->distinct() && !of.withdrawn) {
    facts.records_per_epoch = of.tree.order->records() + of.tree.cut_records;
  }
  const bool alike =
      indexed && of.tree.order->epochs_share() != InCommon::kNothing;
  if (of.forecast && alike && !of.forecast->depends_on_shares && !of.carries) {
    facts.steps_per_epoch =
        of.forecast->pack ? of.forecast->pack->exact_steps : of.forecast->steps;
  }
  facts.explanation = Explain(of.job, of.sources, of.tree,
                              {.planned = of.choice.planned,
                               .why = of.choice.why,
                               .sequence = of.choice.sequence,
                               .forecast = of.forecast,
                               .epochs_are_alike = alike && !of.carries,
                               .threads = of.threads,
                               .budgets = BudgetsOf(of)});
  return facts;
}

}  // namespace penstock
