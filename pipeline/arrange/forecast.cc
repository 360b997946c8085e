#include "pipeline/arrange/forecast.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "pipeline/arrange/leftovers.h"
#include "pipeline/arrange/planned_rows.h"
#include "pipeline/arrange/row_fit.h"
#include "pipeline/tasks/parallel_for.h"

namespace penstock {
namespace {

// How many rows need each length, and their values altogether.
struct Histogram {
  std::vector<uint64_t> rows;  // [lengths]
  uint64_t values = 0;
  uint64_t without_values = 0;  // rows
  uint64_t too_long = 0;
  uint64_t left_out = 0;
  std::optional<uint64_t> first_too_long;  // counted from the first length
};

Histogram CountLengths(std::span<const uint32_t> lengths,
                       const ArrangeOptions& options, const RowFit& fit) {
  Histogram histogram;
  histogram.rows.resize(options.lengths.size());
  ArrangeCounts counted;
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (lengths[i] == kLeftOut) {
      ++histogram.left_out;
      continue;
    }
    Row row = {.length = lengths[i]};
    const Admission admission = fit.Admit(row, counted);
    if (admission == Admission::kTaken) {
      ++histogram.rows[fit.ShapeOf(row.length)];
      histogram.values += row.length;
      if (row.length == 0) ++histogram.without_values;
    } else if (admission == Admission::kRefused && !histogram.first_too_long) {
      histogram.first_too_long = i;
    }
  }
  histogram.too_long = counted.dropped + counted.truncated;
  return histogram;
}

// `first` is the record that `part` counts from.
void AddTo(Histogram& all, const Histogram& part, uint64_t first) {
  for (size_t i = 0; i < all.rows.size(); ++i) all.rows[i] += part.rows[i];
  all.values += part.values;
  all.without_values += part.without_values;
  all.too_long += part.too_long;
  all.left_out += part.left_out;
  if (part.first_too_long && !all.first_too_long) {
    all.first_too_long = first + *part.first_too_long;
  }
}

// Of all columns, a part of one at a time.
Histogram CountAll(uint64_t records, const LengthTable& lengths,
                   const ArrangeOptions& options, TaskQueue& tasks) {
  Histogram all;
  all.rows.resize(options.lengths.size());
  if (lengths.columns().empty()) {
    all.rows[0] = records;
    return all;
  }
  constexpr size_t kPart = 1 << 20;
  std::vector<std::span<const uint32_t>> parts;
  for (const auto& column : lengths.columns()) {
    for (size_t begin = 0; begin < column.size(); begin += kPart) {
      parts.push_back(
          column.subspan(begin, std::min(kPart, column.size() - begin)));
    }
  }
  const RowFit fit = RowFit::Of(options);
  std::vector<Histogram> histograms(parts.size());
  ParallelFor(tasks, parts.size(), {}, [&](uint64_t part) {
    histograms[part] = CountLengths(parts[part], options, fit);
  }).IgnoreError();  // nobody stops it
  uint64_t first = 0;
  for (size_t part = 0; part < parts.size(); ++part) {
    AddTo(all, histograms[part], first);
    first += parts[part].size();
  }
  return all;
}

// Of the records of one epoch, some positions at a time.
Histogram CountEpoch(const Order& order, uint64_t epoch,
                     const LengthTable& lengths, const ArrangeOptions& options,
                     TaskQueue& tasks) {
  Histogram all;
  all.rows.resize(options.lengths.size());
  if (lengths.columns().empty() && !lengths.leaves_out()) {
    all.rows[0] = order.records();
    return all;
  }
  constexpr uint64_t kPart = 1 << 16;
  const RowFit fit = RowFit::Of(options);
  std::vector<Histogram> histograms((order.records() + kPart - 1) / kPart);
  ParallelFor(tasks, histograms.size(), {}, [&](uint64_t part) {
    const uint64_t first = part * kPart;
    PlannedRows planned;
    const std::span<const Row> rows = planned.Fill(
        order, lengths, epoch, first, std::min(kPart, order.records() - first));
    std::vector<uint32_t> found(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      found[i] = rows[i].length - rows[i].begin;
    }
    Histogram& histogram = histograms[part];
    histogram = CountLengths(found, options, fit);
    if (histogram.first_too_long) {
      histogram.first_too_long = rows[*histogram.first_too_long].record;
    }
  }).IgnoreError();  // nobody stops it
  for (const Histogram& histogram : histograms) AddTo(all, histogram, 0);
  return all;
}

// The mean length of a batch of `size` random rows, each as long as its longest
// row needs: sum of length x P(the longest needs it).
double ExpectedLength(const Histogram& histogram, uint64_t rows, uint64_t size,
                      const std::vector<int64_t>& lengths) {
  double expected = 0;
  double below = 0;
  uint64_t seen = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    seen += histogram.rows[i];
    const double up_to =
        std::pow(static_cast<double>(seen) / static_cast<double>(rows),
                 static_cast<double>(size));
    expected += static_cast<double>(lengths[i]) * (up_to - below);
    below = up_to;
  }
  return expected;
}

Forecast ForecastFrom(const Histogram& histogram, const ArrangeOptions& options,
                      bool keep_left_over) {
  Forecast forecast;
  forecast.too_long = histogram.first_too_long;
  (options.too_long == TooLong::kDrop ? forecast.dropped : forecast.truncated) =
      histogram.too_long;
  forecast.left_out = histogram.left_out;
  forecast.dropped += histogram.left_out;
  forecast.values = histogram.values;
  if (!options.mean_values.empty()) {
    double values = 0;
    for (size_t cell = 0; cell < histogram.rows.size(); ++cell) {
      values +=
          options.mean_values[cell] * static_cast<double>(histogram.rows[cell]);
    }
    forecast.values = static_cast<uint64_t>(std::llround(values));
  }
  forecast.without_values = histogram.without_values;
  if (options.pack) {
    forecast.queue_rows = histogram.rows;
    return forecast;
  }
  if (options.one_queue) {
    uint64_t rows = 0;
    for (const uint64_t count : histogram.rows) rows += count;
    forecast.queue_rows = {rows};
  } else {
    forecast.queue_rows = histogram.rows;
  }
  const size_t queues = forecast.queue_rows.size();
  std::vector<uint64_t> left(queues);
  std::vector<size_t> padded;
  for (size_t queue = 0; queue < queues; ++queue) {
    left[queue] = forecast.queue_rows[queue] % options.RowsOf(queue);
    forecast.left_over += left[queue];
    const Leftover leftover =
        options.leftovers.empty()
            ? (keep_left_over ? Leftover::kPad : Leftover::kDrop)
            : options.leftovers[queue];
    if (leftover == Leftover::kPad) {
      padded.push_back(queue);
    } else {
      forecast.left_over_dropped += left[queue];
    }
    if (left[queue] > 0 && !forecast.left_over_queue &&
        (options.leftovers.empty() || leftover == Leftover::kError)) {
      forecast.left_over_queue = queue;
    }
  }
  // Rows in the batch that is not full of each.
  std::vector<uint64_t> last(queues);
  const std::vector<size_t> into = MergeLeftovers(left, padded, options);
  for (const size_t queue : padded) last[into[queue]] += left[queue];
  double values = 0;  // of all batches, padding included
  for (size_t queue = 0; queue < queues; ++queue) {
    const uint64_t rows = forecast.queue_rows[queue];
    const uint64_t size = options.RowsOf(queue);
    uint64_t steps = rows / size;
    if (last[queue] > 0) {
      ++steps;
      forecast.pad_rows += size - last[queue];
    }
    forecast.steps += steps;
    if (steps == 0) continue;
    const double length =
        options.one_queue
            ? ExpectedLength(histogram, rows, size, options.lengths)
            : static_cast<double>(options.ValuesOf(queue));
    values += length * static_cast<double>(steps * size);
  }
  if (options.lengths.back() == 0) {  // no tensor varies: count rows
    const double all = static_cast<double>(forecast.steps * options.rows);
    forecast.padding =
        all > 0 ? static_cast<double>(forecast.pad_rows) / all : 0;
  } else if (values > 0) {
    forecast.padding =
        std::max(0.0, 1 - static_cast<double>(forecast.values) / values);
  }
  return forecast;
}

}  // namespace

Forecast ForecastEpoch(uint64_t records, const LengthTable& lengths,
                       const ArrangeOptions& options, bool keep_left_over,
                       TaskQueue& tasks) {
  return ForecastFrom(CountAll(records, lengths, options, tasks), options,
                      keep_left_over);
}

Forecast ForecastEpoch(const Order& order, uint64_t epoch,
                       const LengthTable& lengths,
                       const ArrangeOptions& options, bool keep_left_over,
                       TaskQueue& tasks) {
  return order.whole() && !lengths.leaves_out()
             ? ForecastEpoch(order.records(), lengths, options, keep_left_over,
                             tasks)
             : ForecastFrom(CountEpoch(order, epoch, lengths, options, tasks),
                            options, keep_left_over);
}

}  // namespace penstock
