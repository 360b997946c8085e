#include "pipeline/arrange/forecast.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

// How many rows need each length, and their values altogether.
struct Histogram {
  std::vector<uint64_t> rows;  // [lengths]
  uint64_t values = 0;
};

Histogram CountLengths(uint64_t records, const LengthTable& lengths,
                       const ArrangeOptions& options, Forecast& forecast) {
  Histogram histogram;
  histogram.rows.resize(options.lengths.size());
  if (lengths.columns().empty()) {
    histogram.rows[0] = records;
    return histogram;
  }
  const int64_t longest = options.lengths.back();
  uint64_t id = 0;
  for (const auto& column : lengths.columns()) {
    for (const uint32_t length : column) {
      const uint64_t this_id = id++;
      if (int64_t{length} > longest) {
        if (options.too_long == TooLong::kDrop) {
          ++forecast.dropped;
          continue;
        }
        if (options.too_long == TooLong::kError) {
          if (!forecast.too_long) forecast.too_long = this_id;
          continue;
        }
        ++forecast.truncated;
      }
      const int64_t kept = std::min<int64_t>(length, longest);
      ++histogram.rows[std::lower_bound(options.lengths.begin(),
                                        options.lengths.end(), kept) -
                       options.lengths.begin()];
      histogram.values += static_cast<uint64_t>(kept);
    }
  }
  return histogram;
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

}  // namespace

Forecast ForecastEpoch(uint64_t records, const LengthTable& lengths,
                       const ArrangeOptions& options, bool keep_left_over) {
  Forecast forecast;
  const Histogram histogram = CountLengths(records, lengths, options, forecast);
  if (options.one_queue) {
    uint64_t rows = 0;
    for (const uint64_t count : histogram.rows) rows += count;
    forecast.queue_rows = {rows};
  } else {
    forecast.queue_rows = histogram.rows;
  }
  const uint64_t size = options.shards * options.rows_per_shard;
  double values = 0;  // of all batches, padding included
  for (size_t queue = 0; queue < forecast.queue_rows.size(); ++queue) {
    const uint64_t rows = forecast.queue_rows[queue];
    const uint64_t rest = rows % size;
    uint64_t steps = rows / size;
    if (rest > 0) {
      forecast.left_over += rest;
      if (!forecast.left_over_queue) forecast.left_over_queue = queue;
      if (keep_left_over) {
        ++steps;
        forecast.pad_rows += size - rest;
      }
    }
    forecast.steps += steps;
    if (steps == 0) continue;
    const double length =
        options.one_queue
            ? ExpectedLength(histogram, rows, size, options.lengths)
            : static_cast<double>(options.lengths[queue]);
    values += length * static_cast<double>(steps * size);
  }
  if (options.lengths.back() == 0) {  // no tensor varies: count rows
    const double all = static_cast<double>(forecast.steps * size);
    forecast.padding =
        all > 0 ? static_cast<double>(forecast.pad_rows) / all : 0;
  } else if (values > 0) {
    forecast.padding =
        std::max(0.0, 1 - static_cast<double>(histogram.values) / values);
  }
  return forecast;
}

}  // namespace penstock
