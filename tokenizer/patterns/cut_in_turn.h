// Cuts text by pre-tokenizers, each of which cuts the pieces of the one before.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "formats/files/status.h"
#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/patterns/turn_masks.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {

// Gives the pieces in batches of kMost, the last of which may be smaller:
// take(begin, ends) is as if one pre-tokenizer had written `ends` behind
// `begin`.
//
// Threads: one at a time.
template <size_t kMost, typename Take>
class TurnCutter {
 public:
  // At least one. `masks` are of them. All must outlive this. `text` is not
  // empty.
  TurnCutter(const PreTokenizers& cutters, const TurnMasks& masks,
             std::string_view text, Take take)
      : cutters_(cutters), masks_(masks), text_(text), take_(std::move(take)) {}

  // Errors:  those of `take` and of PreTokenizer::ErrorAt; the first ends it.
  Status Run() {
    if (cutters_.size() == 1) {
      PENSTOCK_RETURN_IF_ERROR(CutLast(0, text_.size()));
    } else {
      quiet_ends_.fill(0);
      PENSTOCK_RETURN_IF_ERROR(CutFurther(0, 0, text_.size()));
    }
    return count_ == 0 ? OkStatus() : Give();
  }

 private:
  // The piece [begin, end) of the cutter before `turn`, 1 or more.
  Status Cut(size_t turn, size_t begin, size_t end) {
    if (turn < masks_.turns()) {
      size_t& quiet_end = quiet_ends_[turn];
      if (quiet_end < end) quiet_end = masks_.EndOfQuiet(turn, text_, begin);
      if (quiet_end >= end) return Put(end);
      const std::string_view piece = text_.substr(begin, end - begin);
      if (!masks_.touch_characters() && IsOneChar(piece)) return Put(end);
      turn = masks_.NextOf(turn, piece);
    }
    const bool is_last = turn + 1 == cutters_.size();
    return is_last ? CutLast(begin, end) : CutFurther(turn, begin, end);
  }

  static bool IsOneChar(std::string_view piece) {
    return piece.size() == 1 ||
           (piece.size() <= 4 && static_cast<signed char>(piece[0]) < 0 &&
            Utf8SizeOfChar(piece.data(), piece.data() + piece.size()) ==
                piece.size());
  }

  Status CutLast(size_t begin, size_t end) {
    const PreTokenizer& cutter = *cutters_.back();
    const std::string_view piece = text_.substr(begin, end - begin);
    for (size_t at = 0; at < piece.size();) {
      const auto ends = std::span(ends_).subspan(count_);
      const size_t count = cutter.Split(piece, at, ends);
      if (count == 0) return cutter.ErrorAt(piece, at);
      at = ends[count - 1] & ~kLeftOut;
      for (size_t& one : ends.first(count)) one += begin;
      count_ += count;
      if (count_ == kMost) PENSTOCK_RETURN_IF_ERROR(Give());
    }
    return OkStatus();
  }

  Status CutFurther(size_t turn, size_t begin, size_t end) {
    const PreTokenizer& cutter = *cutters_[turn];
    const std::string_view piece = text_.substr(begin, end - begin);
    std::array<size_t, 64> ends;
    for (size_t at = 0; at < piece.size();) {
      const size_t count = cutter.Split(piece, at, ends);
      if (count == 0) return cutter.ErrorAt(piece, at);
      for (const size_t mark : std::span(ends).first(count)) {
        const size_t next = mark & ~kLeftOut;
        PENSTOCK_RETURN_IF_ERROR(next == mark
                                     ? Cut(turn + 1, begin + at, begin + next)
                                     : Put(begin + mark));
        at = next;
      }
    }
    return OkStatus();
  }

  Status Put(size_t end) {
    ends_[count_++] = end;
    return count_ == kMost ? Give() : OkStatus();
  }
  Status Give() {
    const auto ends = std::span<const size_t>(ends_).first(count_);
    const size_t begin = given_;
    given_ = ends.back() & ~kLeftOut;
    count_ = 0;
    return take_(begin, ends);
  }

  const PreTokenizers& cutters_;
  const TurnMasks& masks_;
  const std::string_view text_;
  Take take_;
  std::array<size_t, kMost> ends_;
  size_t count_ = 0;
  size_t given_ = 0;  // up to there
  // By turn, the end of what no cutter from it on cuts. Where there is but one
  // nobody looks: short texts pay for each step.
  std::array<size_t, TurnMasks::kMost> quiet_ends_;
};

}  // namespace penstock
