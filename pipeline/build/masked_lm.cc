#include <algorithm>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/build/derivers.h"
#include "pipeline/build/integer_types.h"
#include "pipeline/order/keyed_draws.h"

namespace penstock {
namespace {

// Of tokens of type T and labels of type L.
template <typename T, typename L>
class MaskedLmDeriver final : public Deriver {
 public:
  MaskedLmDeriver(const TokensTensor& of, const MaskedLm& options,
                  uint64_t dataset, size_t first)
      : of_(of),
        options_(options),
        chosen_(options.rate),
        masked_(options.mask_part),
        changed_(options.mask_part + options.random_part),
        dataset_(dataset),
        first_(first) {
    for (const int64_t token : options.never) {
      if (token < 0) continue;
      const auto id = static_cast<size_t>(token);
      if (never_.size() <= id) never_.resize(id + 1);
      never_[id] = true;
    }
  }

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto tokens = RowOf<T>(batch.tensors[of_.tensor], row.row);
    const auto labels = RowOf<L>(batch.tensors[first_], row.row);
    const auto weights = RowOf<float>(batch.tensors[first_ + 1], row.row);
    const RowRuns runs(row.pieces, of_.feature, tokens.size());
    FillRuns(runs, weights.size(), 0.0f, weights.data(),
             [](const Run& run, size_t, float* to) {
               std::fill_n(to, run.count, 0.0f);
             });
    FillRuns(runs, labels.size(), static_cast<L>(options_.ignore),
             labels.data(), [&](const Run& run, size_t, L* to) {
               Mask(run, batch.epoch, tokens.data() + run.place, to,
                    weights.data() + run.place);
             });
    return OkStatus();
  }

 private:
  static bool Has(const std::vector<bool>& set, int64_t token) {
    return token >= 0 && static_cast<size_t>(token) < set.size() &&
           set[static_cast<size_t>(token)];
  }
  bool BeginsWord(int64_t token) const {
    return token < 0 || token >= options_.vocabulary ||
           Has(options_.word_starts, token);
  }
  bool whole_words() const { return !options_.word_starts.empty(); }

  // Where the word begins that goes on in the piece's first token.
  static size_t WordBegin(const MaskedLmDeriver& self, const Run& run) {
    const size_t row = run.from->from.row;
    size_t begin = run.begin;
    while (begin > 0 && !self.BeginsWord(run.column->int_of(row, begin))) {
      --begin;
    }
    return begin;
  }

  void Mask(const Run& run, uint64_t epoch, T* tokens, L* labels,
            float* weights) const {
    if (run.count == 0) return;
    const uint64_t key = RecordKey(options_.seed, epoch, SeedStage::kMaskedLm,
                                   dataset_, run.record());
    const uint64_t kinds = Mix64(key);
    bool is_chosen = false;
    if (whole_words()) is_chosen = chosen_(DrawAt(key, WordBegin(*this, run)));
    for (size_t i = 0; i < run.count; ++i) {
      const T token = tokens[i];
      const uint64_t at = run.begin + i;
      if (!whole_words() || BeginsWord(static_cast<int64_t>(token))) {
        is_chosen = chosen_(DrawAt(key, at));
      }
      labels[i] = static_cast<L>(options_.ignore);
      if (!is_chosen || Has(never_, static_cast<int64_t>(token))) continue;
      labels[i] = static_cast<L>(token);
      weights[i] = 1.0f;
      const uint64_t kind = DrawAt(kinds, at);
      if (masked_(kind)) {
        tokens[i] = static_cast<T>(options_.mask_id);
      } else if (changed_(kind)) {
        tokens[i] = static_cast<T>(
            Scale(Mix64(kind), static_cast<uint64_t>(options_.vocabulary)));
      }
    }
  }

  const TokensTensor of_;
  const MaskedLm options_;
  const Chance chosen_;
  const Chance masked_;
  const Chance changed_;
  const uint64_t dataset_;
  const size_t first_;
  std::vector<bool> never_;  // [the largest + 1]
};

}  // namespace

std::shared_ptr<const Deriver> MakeMaskedLm(const TokensTensor& of,
                                            const MaskedLm& options,
                                            uint64_t dataset, size_t first) {
  return ForInteger(of.type, [&](auto token) -> std::shared_ptr<const Deriver> {
    using Token = decltype(token);
    using Label = std::conditional_t<std::is_same_v<Token, int64_t> ||
                                         std::is_same_v<Token, uint32_t>,
                                     int64_t, int32_t>;
    return std::make_shared<MaskedLmDeriver<Token, Label>>(of, options, dataset,
                                                           first);
  });
}

}  // namespace penstock
