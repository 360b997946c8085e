#include "pipeline/run/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "pipeline/run/explain_derived.h"

namespace penstock {
namespace {

std::string_view Name(TooLong too_long) {
  switch (too_long) {
    case TooLong::kError:
      return "an error";
    case TooLong::kTruncate:
      return "cut";
    case TooLong::kDrop:
      return "dropped";
  }
  return "";
}

std::string_view Name(Leftover leftover) {
  switch (leftover) {
    case Leftover::kPad:
      return "filled with rows of weight 0";
    case Leftover::kDrop:
      return "left out";
    case Leftover::kError:
      return "an error";
  }
  return "";
}

std::string DescribeShuffle(const Stages& stages) {
  if (!stages.shuffle) return "none: records come in the order of the files";
  if (stages.shuffle->window_records == 0) {
    return fmt::format("all records, seed {}", stages.shuffle->seed);
  }
  return fmt::format("windows of {} records, seed {}",
                     stages.shuffle->window_records, stages.shuffle->seed);
}

std::string DescribeStages(const Stages& stages) {
  std::string text = fmt::format("  shuffle   {}\n", DescribeShuffle(stages));
  text += stages.epochs == 0
              ? std::string("  repeat    for ever\n")
              : fmt::format("  repeat    {} epochs\n", stages.epochs);
  if (stages.tokenize) {
    text += fmt::format(
        "  tokenize  {} -> {} with {}\n", stages.tokenize->options.from,
        stages.tokenize->options.to, stages.tokenize->tokenizer->Describe());
  }
  text += DescribeDerived(stages);
  if (stages.bucket) {
    text += fmt::format("  bucket    by {}, lengths {}; longer rows are {}\n",
                        stages.by(), fmt::join(stages.bucket->lengths, ", "),
                        Name(stages.too_long()));
  }
  if (stages.pad) {
    text += fmt::format(
        "  pad       by {}, to a multiple of {}, at most {}; longer rows are "
        "{}\n",
        stages.by(), stages.pad->multiple_of, stages.pad->max_length,
        Name(stages.too_long()));
  }
  text += fmt::format("  batch     {} rows; leftovers are {}\n",
                      stages.batch.size, Name(stages.batch.leftover));
  return text;
}

std::string DescribeForecast(const Stages& stages, const Forecast& forecast) {
  std::string text = fmt::format(
      "epoch: {} steps, {} rows of padding, {:.1f} % of all values expected "
      "to be padding\n",
      forecast.steps, forecast.pad_rows, 100 * forecast.padding);
  if (stages.bucket) {
    text += fmt::format("  rows in buckets: {}\n",
                        fmt::join(forecast.queue_rows, ", "));
  }
  if (forecast.dropped > 0 || forecast.truncated > 0) {
    text += fmt::format("  too long: {} rows dropped, {} cut\n",
                        forecast.dropped, forecast.truncated);
  }
  return text;
}

std::string DescribeHosts(const Job& job) {
  const uint64_t rows_of_shard =
      static_cast<uint64_t>(job.contract().rows) / job.topology.shards;
  std::vector<uint64_t> rows;
  for (uint32_t host = 0; host < job.topology.hosts; ++host) {
    rows.push_back(job.topology.ShardsOf(host).size() * rows_of_shard);
  }
  return fmt::format(
      "hosts: {}, this is {}; {} shards of {} rows; rows of each host: {}\n",
      job.topology.hosts, job.topology.host, job.topology.shards, rows_of_shard,
      fmt::join(rows, ", "));
}

std::string DescribeBudgets(const std::vector<ByteBudget>& budgets) {
  std::string text = "memory, at most:\n";
  uint64_t sum = 0;
  for (const ByteBudget& budget : budgets) {
    text += fmt::format("  {:>14} bytes  {}\n", budget.bytes, budget.what);
    sum += budget.bytes;
  }
  return text + fmt::format("  {:>14} bytes  in all\n", sum);
}

}  // namespace

std::string Explain(const Job& job, const Source& source,
                    const Explanation& explanation) {
  std::string text =
      fmt::format("{}: {}\n", explanation.planned ? "planned" : "streamed",
                  explanation.why);
  text += fmt::format(
      "stages:\n  read      {} files, {}\n", source.paths.size(),
      source.indexed
          ? fmt::format("{} records by number", source.indexed->records())
          : "in sequence");
  text += DescribeStages(job.stages);
  text += "tensors:\n";
  const std::string tensors = job.contract().Describe();
  for (size_t begin = 0; begin < tensors.size();) {
    const size_t end = tensors.find('\n', begin) + 1;
    text += "  " + tensors.substr(begin, end - begin);
    begin = end;
  }
  text +=
      fmt::format("shapes: {}, so as many compiles\n", job.contract().shapes());
  text += DescribeDerivedBytes(job.contract());
  if (explanation.forecast) {
    text += DescribeForecast(job.stages, *explanation.forecast);
  }
  text += DescribeHosts(job);
  text += fmt::format("threads: {}\n", explanation.threads);
  return text + DescribeBudgets(explanation.budgets);
}

}  // namespace penstock
