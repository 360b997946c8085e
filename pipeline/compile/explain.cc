#include "pipeline/compile/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include "pipeline/compile/explain_derived.h"
#include "pipeline/graph/check_stages.h"
#include "pipeline/order/block_order.h"

namespace penstock {
namespace {

constexpr double kMuchPadding = 0.5;

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
    case Leftover::kCarry:
      return "carried into the next epoch";
  }
  return "";
}

// "left out", "of length 128 left out, of length 256 an error".
std::string DescribeLeftovers(const Stages& stages) {
  const std::vector<Leftover> each = stages.leftovers();
  std::string text;
  for (size_t i = 0; i < each.size(); ++i) {
    text += fmt::format("{}of length {} {}", i == 0 ? "" : ", ",
                        stages.ShapeName(i), Name(each[i]));
  }
  if (each.empty()) text = Name(stages.batch.leftover);
  if (stages.bucket && stages.bucket->merge_leftovers) {
    text += ", in batches of longer rows where these have room";
  }
  return text;
}

std::string DescribeShuffle(const Stages& stages) {
  if (!stages.shuffle) return "none: records come in the order of the files";
  if (const uint64_t block = stages.shuffle->block_records; block > 0) {
    return fmt::format("blocks of {} records, in windows of {}, seed {}", block,
                       WindowOfBlocks(block, stages.shuffle->window_records),
                       stages.shuffle->seed);
  }
  if (stages.shuffle->window_records == 0) {
    return fmt::format("all records, seed {}", stages.shuffle->seed);
  }
  return fmt::format("windows of {} records, seed {}",
                     stages.shuffle->window_records, stages.shuffle->seed);
}

std::string DescribeSequence(const SequenceChoice& sequence) {
  if (sequence.how == SequenceReading::kAuto) return "in sequence";
  return fmt::format("in sequence: {}, {}", Describe(sequence.how),
                     sequence.why);
}

// "2 files", "zip of 4 files and in memory from record 10".
std::string WhereIs(const Source& source) {
  if (!source.sides.empty()) {
    std::string text;
    for (const Source& side : source.sides) {
      text += (text.empty() ? "zip of " : " and ") + WhereIs(side);
      if (side.part.begin == 0) continue;
      text += fmt::format(" from record {}", side.part.begin);
    }
    return text;
  }
  if (source.columns != nullptr) return "in memory";
  if (source.megatron != nullptr) return "a token file";
  return fmt::format("{} files", source.paths.size());
}

// What is read, and the views over it.
std::string DescribeSources(const Stages& stages, const Sources& sources,
                            const OrderTree& tree,
                            const SequenceChoice& sequence) {
  std::string text;
  const ColumnTable* const columns = sources.each.front().columns.get();
  if (!stages.views && columns != nullptr) {
    text = fmt::format("  read      {}: {} rows in memory\n", columns->name(),
                       sources.indexed->records());
  } else if (!stages.views) {
    text = fmt::format("  read      {}, {}\n", WhereIs(sources.each.front()),
                       sources.indexed ? fmt::format("{} records by number",
                                                     sources.indexed->records())
                                       : DescribeSequence(sequence));
  }
  for (size_t s = 0; stages.views && s < sources.each.size(); ++s) {
    const Source& source = sources.each[s];
    const auto all = static_cast<double>(tree.order->records());
    const auto records = static_cast<double>(sources.RecordsOf(s));
    text += fmt::format(
        "  read      {}: {}, {} records by number; {:.4g} % of all rows, "
        "{:.4g} times through in an epoch\n",
        SourceName(stages, s), WhereIs(source), sources.RecordsOf(s),
        100 * tree.rows[s] / all, tree.rows[s] / records);
  }
  for (const std::string& view : tree.views) text += "  " + view + "\n";
  return text;
}

std::string DescribePack(const Stages& stages) {
  std::string text = fmt::format("  pack      by {} to {}, ", stages.by(),
                                 stages.pack->length);
  switch (stages.pack->kind) {
    case PackKind::kFirstFit:
      text += fmt::format("first fit over {} open rows", stages.window_rows());
      break;
    case PackKind::kBestFit:
      text +=
          fmt::format("best fit in windows of {} rows", stages.window_rows());
      break;
    case PackKind::kChunk:
      text += "cut where rows end";
      break;
    case PackKind::kMegatron:
      text += fmt::format("in Megatron-LM's order, seed {}", stages.pack->seed);
      break;
  }
  text += fmt::format(", at most {} records a row", stages.max_segments());
  return stages.chunks() ? text + "\n"
                         : fmt::format("{}; longer records are {}\n", text,
                                       Name(stages.too_long()));
}

std::string DescribeStages(const Stages& stages) {
  std::string text;
  if (!stages.views) {
    text = fmt::format("  shuffle   {}\n", DescribeShuffle(stages));
  }
  text += stages.epochs == 0
              ? std::string("  repeat    for ever\n")
              : fmt::format("  repeat    {} epochs\n", stages.epochs);
  text += DescribeTokenize(stages);
  text += DescribeDerived(stages);
  if (stages.bucket) {
    text += fmt::format("  bucket    by {}, lengths {}", stages.by(),
                        fmt::join(stages.bucket->lengths, ", "));
    for (const BucketFeature& feature : stages.bucket->with) {
      text += fmt::format(" and by {}, lengths {}", feature.by,
                          fmt::join(feature.lengths, ", "));
    }
    text += fmt::format("; longer rows are {}\n", Name(stages.too_long()));
  }
  if (stages.pad) {
    text += fmt::format(
        "  pad       by {}, to a multiple of {}, at most {}; longer rows are "
        "{}\n",
        stages.by(), stages.pad->multiple_of, stages.pad->max_length,
        Name(stages.too_long()));
  }
  if (stages.pack) text += DescribePack(stages);
  const std::vector<int64_t> rows = stages.shape_rows();
  text += fmt::format(
      "  batch     {} rows; leftovers are {}\n",
      rows.empty() ? fmt::format("{}", stages.batch.size)
                   : fmt::format("of each length {}", fmt::join(rows, ", ")),
      DescribeLeftovers(stages));
  if (const BalanceOptions& balance = stages.batch.balance; balance.parts > 0) {
    text += fmt::format(
        "  balance   {} parts of a batch; a record of L values costs {} L + {} "
        "L^2\n",
        balance.parts, balance.linear, balance.quadratic);
  }
  return text;
}

std::string DescribePacking(const PackForecast& pack) {
  std::string text =
      pack.exact_steps
          ? fmt::format("epoch: {} steps\n", *pack.exact_steps)
          : fmt::format("epoch: about {:.0f} steps, as the order decides\n",
                        pack.steps);
  if (pack.dearest_before > 0) {
    text += fmt::format(
        "  balance: the dearest part costs {:.3f} of the mean, {:.3f} before\n",
        pack.dearest_after, pack.dearest_before);
  }
  return text + fmt::format(
                    "  packed rows: {:.2f} % full, {:.1f} records in "
                    "each, as the first {} records are\n",
                    100 * pack.fill, pack.segments, pack.records);
}

std::string DescribeForecast(const Stages& stages, const Forecast& forecast,
                             bool epochs_are_alike) {
  std::string text =
      forecast.pack
          ? DescribePacking(*forecast.pack)
          : fmt::format(
                "{}: {}{} steps, {} rows of padding, {:.1f} % of all values "
                "expected to be padding\n",
                epochs_are_alike ? "epoch" : "first epoch",
                forecast.depends_on_shares
                    ? "if the hosts' shares have the same lengths, "
                    : "",
                forecast.steps, forecast.pad_rows, 100 * forecast.padding);
  if (forecast.padding > kMuchPadding) {
    text += stages.bucket ? "  mostly padding: use more lengths, or Pack\n"
                          : "  mostly padding: use Bucket, or Pack\n";
  }
  if (stages.bucket && stages.bucket->with.empty()) {
    text += fmt::format("  rows in buckets: {}\n",
                        fmt::join(forecast.queue_rows, ", "));
  }
  for (size_t cell = 0; stages.grid() && cell < forecast.queue_rows.size();
       ++cell) {
    text += fmt::format("  rows in {}: {}\n", stages.ShapeName(cell),
                        forecast.queue_rows[cell]);
  }
  const uint64_t too_long = forecast.dropped - forecast.left_out;
  if (too_long > 0 || forecast.truncated > 0) {
    text += fmt::format("  too long: {} rows dropped, {} cut\n", too_long,
                        forecast.truncated);
  }
  return text;
}

std::string DescribeHosts(const Job& job) {
  const auto rows_of_batch = static_cast<uint64_t>(job.contract().rows);
  const uint64_t rows_of_shard = job.topology.RowsOfShard(rows_of_batch);
  const uint64_t pads = rows_of_shard * job.topology.shards - rows_of_batch;
  std::vector<uint64_t> rows;
  for (uint32_t host = 0; host < job.topology.hosts; ++host) {
    rows.push_back(job.topology.ShardsOf(host).size() * rows_of_shard);
  }
  return fmt::format(
      "hosts: {}, this is {}; {} shards of {}{} rows{}; rows of each host: "
      "{}\n",
      job.topology.hosts, job.topology.host, job.topology.shards,
      job.contract().shape_rows.empty() ? "" : "at most ", rows_of_shard,
      pads == 0 ? std::string()
                : fmt::format(" ({} rows of every batch pad)", pads),
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

std::string Explain(const Job& job, const Sources& sources,
                    const OrderTree& tree, const Explanation& explanation) {
  std::string text =
      fmt::format("{}: {}\n", explanation.planned ? "planned" : "streamed",
                  explanation.why);
  text += "stages:\n" +
          DescribeSources(job.stages, sources, tree, explanation.sequence);
  if (!tree.sharing.empty()) text += "  " + tree.sharing + "\n";
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
    text += DescribeForecast(job.stages, *explanation.forecast,
                             explanation.epochs_are_alike);
  }
  text += DescribeHosts(job);
  text += fmt::format("threads: {}\n", explanation.threads);
  return text + DescribeBudgets(explanation.budgets);
}

}  // namespace penstock
