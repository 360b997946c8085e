// The score of a path that grows by parts that are remembered.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "tokenizer/pieces/part_entry.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// The scores of pieces, one added to the other and rounded to float each time.
// That is a chain of additions: they wait until some parts are there, so that
// the processor does other work meanwhile. Until then it is known how far from
// 0 their sum is at most.
//
// Threads: one at a time.
template <typename Real>
class PathScore {
 public:
  // `scores` are by id and must outlive this. Those of the ids that stand for a
  // character without a piece make up its score, one after the other.
  explicit PathScore(const Table<Real>& scores) : scores_(scores) {}

  // How far from 0 it gets at most by pieces whose scores, without signs, are
  // `sum` together, once what is behind the point goes.
  static double Reach(double sum) { return sum * kSlack + 1; }

  // Whether it is nearer to 0 than `safe`.
  bool IsWithin(uint32_t safe) {
    return bound_ < safe || std::abs(Get()) < static_cast<double>(safe);
  }
  // Of a part, if the score was within its safe_score.
  void Add(const PartIds& part) {
    std::memcpy(&ids_[count_], part.ids, sizeof(part.ids));
    count_ += part.count;
    bound_ += part.reach;
  }
  // After kMostParts that were added, or before.
  static constexpr size_t kMostParts = 24;
  void Settle() { Set(Get()); }

  // With all that was added.
  float Get() {
    float score = score_;
    for (const TokenId id : std::span(ids_).first(count_)) {
      score = static_cast<float>(scores_[id] + score);
    }
    count_ = 0;
    return score_ = score;
  }
  // What it is with all that was added.
  void Set(float score) {
    score_ = score;
    count_ = 0;
    const double bound = Reach(std::abs(score));
    bound_ = bound < kNeverSafe ? static_cast<uint32_t>(bound) : kNeverSafe;
  }

 private:
  // Each sum is off by 2^-24 of itself at most, so that after n of them it is
  // at most (1 + 2^-24)^n times what it would be without rounding: less than
  // this after as many as wait.
  static constexpr double kSlack = 1 + 0x1p-8;
  static constexpr uint32_t kNeverSafe = PartIds::kMostSafeScore;

  const Table<Real>& scores_;
  std::array<TokenId, kMostParts * PartIds::kMost> ids_;  // to add
  size_t count_ = 0;                                      // of them
  float score_ = 0;
  uint32_t bound_ = 0;  // how far from 0 it is with all of them, at most
};

}  // namespace penstock
