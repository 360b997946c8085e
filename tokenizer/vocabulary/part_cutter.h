// Cuts text where no piece can cross it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tokenizer/interface/text_buffer.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/piece_boundaries.h"

namespace penstock {

// A token that stands before the byte `place` of a text, and is none of it.
struct PlacedToken {
  size_t place;
  TokenId id;
};

// The parts of a text, in order. Where tokens stand parts end, too.
//
// Threads: one at a time.
class PartCutter {
 public:
  // All must outlive this. `text` is in UTF-8 with TextBuffer::kSlack bytes
  // after it. `tokens` are in order of their places, between characters.
  PartCutter(std::string_view text, const PieceBoundaries& boundaries,
             std::span<const PlacedToken> tokens = {})
      : boundaries_(boundaries),
        tokens_(tokens),
        text_(text.data()),
        at_(text_),
        next_block_(at_),
        end_(at_ + text.size()) {
    static_assert(PieceBoundaries::kRead <= TextBuffer::kSlack);
  }

  bool AtEnd() const { return at_ == end_; }
  // Unless it is AtEnd.
  std::string_view Next() {
    while (cuts_ == 0) LookOn();
    const char* const begin = at_;
    at_ = block_ + std::countr_zero(cuts_) + 1;
    cuts_ &= cuts_ - 1;
    return {begin, static_cast<size_t>(at_ - begin)};
  }

 private:
  // Once in 64 bytes: within loops over parts it would take their registers.
  [[gnu::noinline]] void LookOn() {
    block_ = next_block_;
    next_block_ += PieceBoundaries::kLooked;
    cuts_ = boundaries_.CutsIn(block_);
    const size_t begin = block_ - text_;
    for (; !tokens_.empty() &&
           tokens_.front().place <= begin + PieceBoundaries::kLooked;
         tokens_ = tokens_.subspan(1)) {
      const size_t place = tokens_.front().place;
      if (place > begin) cuts_ |= uint64_t{1} << (place - begin - 1);
    }
    if (next_block_ < end_) return;
    const uint64_t last = uint64_t{1} << (end_ - block_ - 1);
    cuts_ = (cuts_ & (last - 1)) | last;
  }

  const PieceBoundaries& boundaries_;
  std::span<const PlacedToken> tokens_;  // from the next block on
  const char* const text_;
  const char* at_;     // where the next part begins
  uint64_t cuts_ = 0;  // those from there on in the block
  const char* block_ = nullptr;
  const char* next_block_;
  const char* const end_;
};

}  // namespace penstock
