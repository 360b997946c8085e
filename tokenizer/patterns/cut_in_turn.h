// Cuts text by pre-tokenizers, each of which cuts the pieces of the one before.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/patterns/pretokenizer.h"

namespace penstock {

using PreTokenizers = std::vector<std::unique_ptr<const PreTokenizer>>;

// Which of some pre-tokenizers may cut a piece: most leave most pieces of those
// before them whole, and each costs more than a look at its bytes.
class TurnMasks {
 public:
  TurnMasks() = default;  // of one
  explicit TurnMasks(const PreTokenizers& cutters) {
    if (cutters.size() > kMost) return;
    for (size_t byte = 0; byte < masks_.size(); ++byte) {
      masks_[byte] = 0;
      for (size_t i = 0; i < cutters.size(); ++i) {
        const bool may = cutters[i]->MayCutAt(static_cast<unsigned char>(byte));
        masks_[byte] |= Mask{may} << i;
      }
      always_ &= masks_[byte];
    }
  }

  // The first from `turn` on that may cut the piece, kNone without one.
  static constexpr size_t kNone = ~size_t{0};
  size_t NextOf(size_t turn, std::string_view piece) const {
    if (turn >= kMost || (always_ >> turn & 1) != 0) return turn;
    Mask mask = 0;
    for (const char byte : piece) {
      mask |= masks_[static_cast<unsigned char>(byte)];
    }
    mask >>= turn;
    return mask == 0 ? kNone : turn + std::countr_zero(mask);
  }

 private:
  using Mask = uint32_t;
  static constexpr size_t kMost = 32;
  std::array<Mask, 256> masks_{};  // by byte
  Mask always_ = ~Mask{0};         // in all of them
};

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
    PENSTOCK_RETURN_IF_ERROR(Cut(0, 0, text_.size()));
    return count_ == 0 ? OkStatus() : Give();
  }

 private:
  // The piece [begin, end) of the cutter before `turn`.
  Status Cut(size_t turn, size_t begin, size_t end) {
    // Where one is left, to look costs as much as it saves.
    if (turn > 0 && turn + 1 < cutters_.size()) {
      turn = masks_.NextOf(turn, text_.substr(begin, end - begin));
      if (turn == TurnMasks::kNone) return Put(end);
    }
    const bool is_last = turn + 1 == cutters_.size();
    return is_last ? CutLast(begin, end) : CutFurther(turn, begin, end);
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
};

}  // namespace penstock
