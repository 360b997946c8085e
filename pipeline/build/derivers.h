// The derivers that there are. Tensors are given by their numbers in a batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "pipeline/build/deriver.h"
#include "pipeline/build/row_runs.h"
#include "pipeline/contract.h"
#include "pipeline/derive.h"
#include "pipeline/objective.h"

namespace penstock {

// A feature of any number of tokens and its tensor.
struct TokensTensor {
  FeaturePlace feature;
  ElementType type = ElementType::kInt32;
  size_t tensor = 0;
};

std::shared_ptr<const Deriver> DeriveSegmentIds(const TokensTensor& of,
                                                size_t tensor);
std::shared_ptr<const Deriver> DeriveSegmentLengths(const TokensTensor& of,
                                                    const Derived& derived,
                                                    size_t tensor);
std::shared_ptr<const Deriver> DerivePositions(const TokensTensor& of,
                                               PositionsIn in, size_t tensor);
// int64 labels, otherwise int32.
std::shared_ptr<const Deriver> DeriveLabels(const TokensTensor& of,
                                            const Derived& derived, bool wide,
                                            size_t tensor);
// `prompt` is the column of the feature that says how many tokens are given.
std::shared_ptr<const Deriver> DeriveLossWeights(const TokensTensor& of,
                                                 PieceEnd piece_end,
                                                 std::optional<size_t> prompt,
                                                 size_t tensor);

// `first` is the number of the objective's first tensor.
std::shared_ptr<const Deriver> MakePrefixLm(const TokensTensor& of,
                                            const PrefixLm& options,
                                            uint64_t dataset, size_t first);
std::shared_ptr<const Deriver> MakeMaskedLm(const TokensTensor& of,
                                            const MaskedLm& options,
                                            uint64_t dataset, size_t first);
std::shared_ptr<const Deriver> MakeSpanCorruption(const TokensTensor& of,
                                                  const SpanCorruption& options,
                                                  double pad_value,
                                                  uint64_t dataset,
                                                  size_t first);

}  // namespace penstock
