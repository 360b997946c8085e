#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "formats/files/status_or.h"
#include "pipeline/build/copy_values.h"
#include "pipeline/build/derivers.h"
#include "pipeline/build/integer_types.h"
#include "pipeline/build/narrow.h"
#include "pipeline/build/random_parts.h"
#include "pipeline/graph/noise_spans.h"

namespace penstock {
namespace {

// Inputs or targets of a row, as they grow.
template <typename T>
struct TokenWriter {
  void Token(int64_t id) { row[count++] = static_cast<T>(id); }
  // False where a value does not fit.
  bool Tokens(std::span<const int64_t> values, ElementType type) {
    T* const to = row.data() + count;
    count += values.size();
    return Narrow(values, type, to);
  }
  void End(T pad, Tensor& lengths, size_t at) {
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(count), row.end(), pad);
    reinterpret_cast<int32_t*>(lengths.bytes.data())[at] =
        static_cast<int32_t>(count);
  }

  std::span<T> row;
  size_t count = 0;
};

template <typename T>
class SpanCorruptionDeriver final : public Deriver {
 public:
  SpanCorruptionDeriver(const TokensTensor& of, const SpanCorruption& options,
                        double pad_value, uint64_t dataset, size_t first)
      : of_(of),
        options_(options),
        pad_(static_cast<T>(pad_value)),
        dataset_(dataset),
        first_(first) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    TokenWriter<T> inputs = {RowOf<T>(batch.tensors[first_], row.row)};
    TokenWriter<T> targets = {RowOf<T>(batch.tensors[first_ + 2], row.row)};
    if (row.pieces.size() > 1) {
      return InvalidArgumentError(fmt::format(
          "{}: SpanCorruption wants a row for each record, but shares this "
          "one: leave out Pack",
          row.locate(row.pieces[1].piece.record)));
    }
    if (!row.pieces.empty()) {
      const RowRuns runs(row.pieces, of_.feature, SIZE_MAX);
      const Run run = runs[0];
      const auto values =
          run.column->ints_of(run.from->from.row).subspan(run.begin, run.count);
      if (!Corrupt(run, values, batch.epoch, inputs, targets)) {
        return Outside(run, row.locate);
      }
      if (options_.eos) {
        inputs.Token(*options_.eos);
        targets.Token(*options_.eos);
      }
    }
    inputs.End(pad_, batch.tensors[first_ + 1], row.row);
    targets.End(pad_, batch.tensors[first_ + 3], row.row);
    return OkStatus();
  }

 private:
  bool Corrupt(const Run& run, std::span<const int64_t> values, uint64_t epoch,
               TokenWriter<T>& inputs, TokenWriter<T>& targets) const {
    const NoiseCounts counts =
        CountNoise(options_, static_cast<int64_t>(values.size()));
    if (counts.spans == 0) {
      if (values.empty()) return true;
      targets.Token(options_.sentinel);
      return inputs.Tokens(values, of_.type);
    }
    const uint64_t key =
        MixKeys({RecordKey(options_.seed, epoch, SeedStage::kSpanCorruption,
                           dataset_, run.record()),
                 run.begin});
    const auto noise = static_cast<uint64_t>(counts.noise);
    const auto spans = static_cast<uint64_t>(counts.spans);
    RandomParts stay(values.size() - noise, spans, key);
    RandomParts go(noise, spans, Mix64(key));
    bool fits = true;
    size_t at = 0;
    for (int64_t span = 0; span < counts.spans; ++span) {
      const size_t kept = stay.Next();
      fits &= inputs.Tokens(values.subspan(at, kept), of_.type);
      inputs.Token(options_.sentinel - span);
      at += kept;
      const size_t gone = go.Next();
      targets.Token(options_.sentinel - span);
      fits &= targets.Tokens(values.subspan(at, gone), of_.type);
      at += gone;
    }
    return fits;
  }

  Status Outside(const Run& run, const Locate& locate) const {
    const auto values = run.column->ints_of(run.from->from.row);
    size_t i = run.begin;
    while (values[i] == static_cast<int64_t>(static_cast<T>(values[i]))) ++i;
    return DoesNotFit(locate(run.record()), i, values[i], options_.of,
                      of_.type);
  }

  const TokensTensor of_;
  const SpanCorruption options_;
  const T pad_;
  const uint64_t dataset_;
  const size_t first_;
};

}  // namespace

std::shared_ptr<const Deriver> MakeSpanCorruption(const TokensTensor& of,
                                                  const SpanCorruption& options,
                                                  double pad_value,
                                                  uint64_t dataset,
                                                  size_t first) {
  return ForInteger(of.type, [&](auto token) -> std::shared_ptr<const Deriver> {
    return std::make_shared<SpanCorruptionDeriver<decltype(token)>>(
        of, options, pad_value, dataset, first);
  });
}

}  // namespace penstock
