// The score of a path that grows by parts that are remembered.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tokenizer/bpe/piece_sink.h"
#include "tokenizer/pieces/part_entry.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// The scores of pieces, one added to the other and rounded to float each time.
// That is a chain of additions, and mostly it is enough to know how far from 0
// their sum is at most: they are added up once that is not.
//
// Threads: one at a time.
template <typename Real>
class PathScore {
 public:
  // The ids that a character without a piece became: none, where it has those
  // of the one before.
  struct UnknownIds {
    size_t begin, end;
  };

  // Of a path that begins behind what `sink` has. `scores` are by id, and the
  // last is that of a character without a piece. All must outlive this; what
  // `unknown` has goes.
  PathScore(const Table<Real>& scores, const PieceSink& sink,
            std::vector<UnknownIds>& unknown)
      : scores_(scores), sink_(sink), unknown_(unknown), added_(sink.size()) {
    unknown_.clear();
  }

  // How far from 0 it gets at most by pieces whose scores, without signs, are
  // `sum` together, once what is behind the point goes.
  static double Reach(double sum) { return sum * kSlack + 1; }

  // Whether it is nearer to 0 than `safe`.
  bool IsWithin(uint32_t safe) {
    return bound_ < safe || std::abs(Get()) < static_cast<double>(safe);
  }
  // Of a part that was just put in the sink, if the score was within its
  // safe_score.
  void Add(const PartIds& part) { bound_ += part.reach; }
  // Of a character without a piece in that part, that was just put in the sink
  // behind `begin` ids.
  void AddUnknown(size_t begin) { unknown_.push_back({begin, sink_.size()}); }
  // Now and then, not a thousand parts apart.
  void Settle() {
    if (sink_.size() - added_ + unknown_.size() > kMostAdded) Get();
  }

  // With all that was put in the sink.
  float Get() {
    float score = score_;
    const auto add = [&](TokenId id) {
      score = static_cast<float>(scores_[id] + score);
    };
    const auto add_until = [&](size_t end) {
      for (const TokenId id : sink_.Ids(added_, end)) add(id);
    };
    for (const UnknownIds& ids : unknown_) {
      add_until(ids.begin);
      add(static_cast<TokenId>(scores_.size() - 1));
      added_ = ids.end;
    }
    add_until(sink_.size());
    Set(score);
    return score;
  }
  // What it is with all that was put in the sink.
  void Set(float score) {
    score_ = score;
    added_ = sink_.size();
    unknown_.clear();
    const double bound = Reach(std::abs(score));
    bound_ = bound < kNeverSafe ? static_cast<uint32_t>(bound) : kNeverSafe;
  }

 private:
  // Each sum is off by 2^-24 of itself at most, so that after n of them it is
  // at most (1 + 2^-24)^n times what it would be without rounding: less than
  // this after two times kMostAdded.
  static constexpr double kSlack = 1 + 0x1p-8;
  static constexpr size_t kMostAdded = 1 << 15;
  static constexpr uint32_t kNeverSafe = PartIds::kMostSafeScore;

  const Table<Real>& scores_;
  const PieceSink& sink_;
  std::vector<UnknownIds>& unknown_;  // behind the first `added_`
  size_t added_;  // how many ids of the sink are in `score_`
  float score_ = 0;
  uint32_t bound_ = 0;  // how far from 0 it is with all of them, at most
};

}  // namespace penstock
