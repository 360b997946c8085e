#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "formats/files/status_or.h"
#include "pipeline/build/copy_values.h"
#include "pipeline/build/derivers.h"
#include "pipeline/build/integer_types.h"

namespace penstock {
namespace {

// Labels of type L, of tokens of type T.
template <typename T, typename L>
class LabelsDeriver final : public Deriver {
 public:
  LabelsDeriver(const TokensTensor& of, const Derived& derived, size_t tensor)
      : of_(of),
        of_name_(derived.of),
        ignore_(static_cast<L>(derived.ignore)),
        piece_end_(derived.piece_end),
        tensor_(tensor) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto labels = RowOf<L>(batch.tensors[tensor_], row.row);
    const auto tokens = RowOf<T>(batch.tensors[of_.tensor], row.row);
    const RowRuns runs(row.pieces, of_.feature, labels.size());
    Status status;
    FillRuns(runs, labels.size(), ignore_, labels.data(),
             [&](const Run& run, size_t, L* to) {
               if (run.count == 0) return;
               Shift(tokens.data() + run.place, run.count - 1, to);
               L& last = to[run.count - 1];
               last = ignore_;
               if (piece_end_ != PieceEnd::kNextToken || !run.goes_on()) return;
               status.Update(ReadNext(run, row.locate, last));
             });
    return status;
  }

 private:
  static void Shift(const T* tokens, size_t count, L* to) {
    if constexpr (std::is_same_v<T, L>) {
      std::memcpy(to, tokens + 1, count * sizeof(L));
    } else {
      std::copy_n(tokens + 1, count, to);
    }
  }

  // The first value behind a piece.
  Status ReadNext(const Run& run, const Locate& locate, L& to) const {
    const size_t i = run.begin + run.count;
    const int64_t value = run.column->int_of(run.from->from.row, i);
    to = static_cast<L>(value);
    if (value == to) return OkStatus();
    return DoesNotFit(locate(run.record()), i, value, of_name_,
                      ElementType::kInt32);
  }

  const TokensTensor of_;
  const std::string of_name_;
  const L ignore_;
  const PieceEnd piece_end_;
  const size_t tensor_;
};

class LossWeightsDeriver final : public Deriver {
 public:
  LossWeightsDeriver(const TokensTensor& of, PieceEnd piece_end,
                     std::optional<size_t> prompt, size_t tensor)
      : of_(of), piece_end_(piece_end), prompt_(prompt), tensor_(tensor) {}

  Status Derive(const RowToDerive& row, Batch& batch) const override {
    const auto weights = RowOf<float>(batch.tensors[tensor_], row.row);
    const RowRuns runs(row.pieces, of_.feature, weights.size());
    FillRuns(runs, weights.size(), 0.0f, weights.data(),
             [&](const Run& run, size_t, float* to) {
               if (run.count == 0) return;
               const bool next =
                   piece_end_ == PieceEnd::kNextToken && run.goes_on();
               const size_t end = run.count - (next ? 0 : 1);
               const size_t given = std::min(Given(run), end);
               FillWith(0.0f, given, to);
               FillWith(1.0f, end - given, to + given);
               if (!next) to[end] = 0.0f;
             });
    return OkStatus();
  }

 private:
  // Tokens of the run whose labels belong to the prompt.
  size_t Given(const Run& run) const {
    if (!prompt_) return 0;
    const RowRef& from = run.from->from;
    const Column& column = from.ColumnOf(*prompt_);
    const int64_t prompt =
        column.values_in(from.row) == 0 ? 0 : column.int_of(from.row, 0);
    // The label of the prompt's last token is the first to be learned.
    const int64_t given =
        std::max<int64_t>(0, prompt) - 1 - static_cast<int64_t>(run.begin);
    return static_cast<size_t>(std::max<int64_t>(0, given));
  }

  const TokensTensor of_;
  const PieceEnd piece_end_;
  const std::optional<size_t> prompt_;
  const size_t tensor_;
};

}  // namespace

std::shared_ptr<const Deriver> DeriveLabels(const TokensTensor& of,
                                            const Derived& derived, bool wide,
                                            size_t tensor) {
  return ForInteger(of.type, [&](auto token) -> std::shared_ptr<const Deriver> {
    using Token = decltype(token);
    if (wide) {
      return std::make_shared<LabelsDeriver<Token, int64_t>>(of, derived,
                                                             tensor);
    }
    return std::make_shared<LabelsDeriver<Token, int32_t>>(of, derived, tensor);
  });
}

std::shared_ptr<const Deriver> DeriveLossWeights(const TokensTensor& of,
                                                 PieceEnd piece_end,
                                                 std::optional<size_t> prompt,
                                                 size_t tensor) {
  return std::make_shared<LossWeightsDeriver>(of, piece_end, prompt, tensor);
}

}  // namespace penstock
