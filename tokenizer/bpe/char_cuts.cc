#include "tokenizer/bpe/char_cuts.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// Of each pair in the table: one of 32 other pairs is taken for one of these.
constexpr size_t kBitsOfPair = 32;
constexpr size_t kLeastBits = 4096;
constexpr size_t kTails = 64;

bool IsLead(char byte) {
  return (static_cast<unsigned char>(byte) & 0xf0) == 0xe0;
}

bool AreContinuations(std::string_view bytes) {
  return std::ranges::all_of(bytes, IsUtf8Continuation);
}

void SetBit(Table<uint64_t>& bits, size_t bit) {
  bits.At(bit / 64) |= uint64_t{1} << bit % 64;
}

}  // namespace

CharCuts::CharCuts(const Vocabulary& vocabulary)
    : beside_(2 * kChars / 64), tails_(kTails) {
  std::vector<std::pair<Char, Char>> pairs;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view token = vocabulary.BytesOf(id);
    for (size_t at = 1; at < token.size(); ++at) {
      if (!IsLead(token[at])) continue;
      // Characters, or what the token has of them.
      const std::string_view head = token.substr(0, at);
      const std::string_view tail = token.substr(at);
      const uint32_t left =
          head.size() < kCharBytes ? kNoChar : CharAt(&tail[0] - kCharBytes);
      const uint32_t right =
          tail.size() < kCharBytes ? kNoChar : CharAt(&tail[0]);
      const bool part_left = head.size() < kCharBytes && AreContinuations(head);
      const bool part_right =
          tail.size() < kCharBytes && AreContinuations(tail.substr(1));
      if (left != kNoChar && right != kNoChar) {
        pairs.emplace_back(left, right);
      } else if (left != kNoChar && part_right) {
        SetBit(beside_, left);
      } else if (part_left && right != kNoChar) {
        SetBit(beside_, kChars + right);
      } else if (part_left && part_right) {
        tails_.At(head.back() & 0x3f) |= uint64_t{1} << (tail[0] & 0xf);
      }
    }
  }
  // Many tokens have the same two.
  const size_t different = FillPairs(pairs, pairs.size());
  FillPairs(pairs, different);
}

size_t CharCuts::FillPairs(std::span<const std::pair<Char, Char>> pairs,
                           size_t different) {
  pairs_ = Table<uint64_t>(
      std::bit_ceil(std::max(different * kBitsOfPair, kLeastBits)) / 64);
  UsePairs();
  size_t bits = 0;
  for (const auto& [left, right] : pairs) {
    const size_t bit = PairBit(left, right);
    bits += (pairs_[bit / 64] >> bit % 64 & 1) == 0;
    SetBit(pairs_, bit);
  }
  return bits;
}

void CharCuts::UsePairs() {
  pair_shift_ = 64 - std::countr_zero(pairs_.size() * 64);
}

void CharCuts::Save(TableWriter& to) const {
  to.PutTable(pairs_);
  to.PutTable(beside_);
  to.PutTable(tails_);
}

CharCuts CharCuts::Load(TableReader& from) {
  auto pairs = from.TakeTable<uint64_t>();
  auto beside = from.TakeTable<uint64_t>();
  auto tails = from.TakeTable<uint64_t>();
  from.Expect(std::has_single_bit(pairs.size()) &&
              beside.size() == 2 * kChars / 64 && tails.size() == kTails);
  return CharCuts(std::move(pairs), std::move(beside), std::move(tails));
}

}  // namespace penstock
