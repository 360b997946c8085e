#include <algorithm>

#include "formats/files/status_or.h"
#include "pipeline/build/derivers.h"
#include "pipeline/order/keyed_draws.h"

namespace penstock {
namespace {

class PrefixLmDeriver final : public Deriver {
 public:
  PrefixLmDeriver(const TokensTensor& of, const PrefixLm& options,
                  uint64_t dataset, size_t first)
      : of_(of), options_(options), dataset_(dataset), first_(first) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto prefix = RowOf<uint8_t>(batch.tensors[first_], row.row);
    const auto weights = RowOf<float>(batch.tensors[first_ + 1], row.row);
    const RowRuns runs(row.pieces, of_.feature, prefix.size());
    FillRuns(runs, prefix.size(), uint8_t{0}, prefix.data(),
             [&](const Run& run, size_t, uint8_t* to) {
               const size_t length = PrefixOf(run, batch.epoch);
               std::fill_n(to, length, uint8_t{1});
               std::fill_n(to + length, run.count - length, uint8_t{0});
             });
    FillRuns(runs, weights.size(), 0.0f, weights.data(),
             [&](const Run& run, size_t, float* to) {
               if (run.count == 0) return;
               // The prefix's last token has the first label to be learned.
               const size_t given = PrefixOf(run, batch.epoch) - 1;
               const bool next =
                   options_.piece_end == PieceEnd::kNextToken && run.goes_on();
               FillWith(0.0f, given, to);
               FillWith(1.0f, run.count - given, to + given);
               if (!next) to[run.count - 1] = 0.0f;
             });
    return OkStatus();
  }

 private:
  size_t PrefixOf(const Run& run, uint64_t epoch) const {
    if (run.count < 2) return run.count;
    const uint64_t key = RecordKey(options_.seed, epoch, SeedStage::kPrefixLm,
                                   dataset_, run.record());
    return 1 +
           static_cast<size_t>(Scale(DrawAt(key, run.begin), run.count - 1));
  }

  const TokensTensor of_;
  const PrefixLm options_;
  const uint64_t dataset_;
  const size_t first_;
};

}  // namespace

std::shared_ptr<const Deriver> MakePrefixLm(const TokensTensor& of,
                                            const PrefixLm& options,
                                            uint64_t dataset, size_t first) {
  return std::make_shared<PrefixLmDeriver>(of, options, dataset, first);
}

}  // namespace penstock
