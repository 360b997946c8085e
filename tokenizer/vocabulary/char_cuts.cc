#include "tokenizer/vocabulary/char_cuts.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

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

// What their tables are made of.
struct CharCuts::Joins {
  explicit Joins(const Vocabulary& vocabulary) {
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
      if (!vocabulary.Has(id)) continue;
      const std::string_view token = vocabulary.BytesOf(id);
      for (size_t at = 1; at < token.size(); ++at) {
        if (IsLead(token[at])) Add(token.substr(0, at), token.substr(at));
      }
    }
  }

  // What a token has before and behind a place.
  void Add(std::string_view head, std::string_view tail) {
    const uint32_t left =
        head.size() < kCharBytes ? kNoChar : CharAt(&head.back() - 2);
    const uint32_t right =
        tail.size() < kCharBytes ? kNoChar : CharAt(tail.data());
    // Of characters that are not whole.
    const bool some_left = head.size() < kCharBytes && AreContinuations(head);
    const bool some_right =
        tail.size() < kCharBytes && AreContinuations(tail.substr(1));
    if (left != kNoChar && right != kNoChar) {
      pairs.push_back(PairOf(left, right));
    } else if (left != kNoChar && some_right) {
      SetBit(beside, left);
      parts.push_back(BeginOf(left, BitsOf(tail), tail.size()));
    } else if (some_left && right != kNoChar) {
      SetBit(beside, kChars + right);
      parts.push_back(EndOf(BitsOf(head), right, head.size()));
    } else if (some_left && some_right) {
      tails.At(head.back() & 0x3f) |= uint64_t{1} << (tail[0] & 0xf);
    }
  }

  static uint64_t BitsOf(std::string_view bytes) {
    uint64_t bits = 0;
    for (const char byte : bytes) {
      bits = bits << 6 | (byte & (IsLead(byte) ? 0xf : 0x3f));
    }
    return bits;
  }

  std::vector<uint64_t> pairs;  // of many tokens the same
  std::vector<uint64_t> parts;
  Table<uint64_t> beside{2 * kChars / 64};
  Table<uint64_t> tails{kTails};
};

CharCuts::CharCuts(const Vocabulary& vocabulary)
    : CharCuts(Joins(vocabulary)) {}

CharCuts::CharCuts(Joins joins)
    : CharCuts(KeyBits(joins.pairs), KeyBits(joins.parts),
               std::move(joins.beside), std::move(joins.tails)) {}

void CharCuts::Save(TableWriter& to) const {
  pairs_.Save(to);
  parts_.Save(to);
  to.PutTable(beside_);
  to.PutTable(tails_);
}

CharCuts CharCuts::Load(TableReader& from) {
  auto pairs = KeyBits::Load(from);
  auto parts = KeyBits::Load(from);
  auto beside = from.TakeTable<uint64_t>();
  auto tails = from.TakeTable<uint64_t>();
  from.Expect(beside.size() == 2 * kChars / 64 && tails.size() == kTails);
  return CharCuts(std::move(pairs), std::move(parts), std::move(beside),
                  std::move(tails));
}

}  // namespace penstock
