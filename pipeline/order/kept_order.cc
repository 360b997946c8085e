#include "pipeline/order/kept_order.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

#include "pipeline/order/keyed_draws.h"
#include "pipeline/order/seed.h"

namespace penstock {
namespace {

constexpr uint64_t kWordBits = 64;
constexpr uint64_t kBlockWords = 8;  // a cache line
constexpr uint64_t kEachByte = 0x0101010101010101;

// In byte i, how many bits are set in bytes 0 to i; the highest has all. Where
// processors may lack popcnt, faster than a call.
//
// Source:  Vigna, "Broadword implementation of rank/select queries", 2008, also
//          of PlaceOfSetBit().
uint64_t SumsOfBytes(uint64_t word) {
  word -= (word >> 1) & (0x55 * kEachByte);
  word = (word & (0x33 * kEachByte)) + ((word >> 2) & (0x33 * kEachByte));
  return ((word + (word >> 4)) & (0x0f * kEachByte)) * kEachByte;
}

// The place of set bit `n` of a word that has it, from 0.
uint64_t PlaceOfSetBit(uint64_t word, uint64_t n) {
  const uint64_t sums = SumsOfBytes(word);
  // The highest bit of each byte up to which no more than `n` are set.
  const uint64_t passed =
      (((n | 0x80) * kEachByte) - sums) & (0x80 * kEachByte);
  const uint64_t place = (((passed >> 7) * kEachByte) >> 56) * 8;
  uint64_t byte = (word >> place) & 0xff;
  for (n -= ((sums << 8) >> place) & 0xff; n > 0; --n) byte &= byte - 1;
  return place + static_cast<uint64_t>(std::countr_zero(byte));
}

class Kept final : public Order {
 public:
  Kept(std::vector<uint64_t> bits, uint64_t records, uint64_t first_id)
      : first_id_(first_id),
        last_id_(first_id + records),
        bits_(std::move(bits)) {
    const uint64_t blocks = bits_.size() / kBlockWords;
    before_.reserve(blocks + 1);
    uint64_t count = 0;
    for (size_t word = 0; word < bits_.size(); ++word) {
      if (word % kBlockWords == 0) before_.push_back(count);
      count += SumsOfBytes(bits_[word]) >> 56;
    }
    before_.push_back(count);
    if (count == 0) return;
    // As many hints as blocks, or half of that.
    hint_shift_ = std::bit_width((count - 1) / blocks);
    hints_.reserve(((count - 1) >> hint_shift_) + 2);
    for (uint64_t block = 0; block < blocks; ++block) {
      while ((hints_.size() << hint_shift_) < before_[block + 1]) {
        hints_.push_back(block);
      }
    }
    hints_.push_back(blocks);
  }

  uint64_t records() const override { return before_.back(); }
  uint64_t id_limit() const override { return last_id_; }
  bool whole() const override { return records() == last_id_ - first_id_; }
  bool distinct() const override { return true; }
  InCommon epochs_share() const override { return InCommon::kPositions; }
  uint64_t table_bytes() const override {
    return (bits_.capacity() + before_.capacity() + hints_.capacity()) *
           sizeof(uint64_t);
  }
  void Fill(uint64_t, uint64_t first, std::span<uint64_t> ids) const override {
    if (ids.empty()) return;
    const uint64_t begin = RecordAt(first, BlockOf(first));
    size_t word = begin / kWordBits;
    uint64_t left = bits_[word] & (UINT64_MAX << (begin % kWordBits));
    for (uint64_t& id : ids) {
      while (left == 0) left = bits_[++word];
      id = first_id_ + word * kWordBits +
           static_cast<uint64_t>(std::countr_zero(left));
      left &= left - 1;
    }
  }
  // Step by step for some positions at a time, so that their tables are fetched
  // side by side.
  void Look(uint64_t, std::span<uint64_t> positions) const override {
    constexpr size_t kAtOnce = 32;
    std::array<uint64_t, kAtOnce> blocks;
    while (!positions.empty()) {
      const auto some = positions.first(std::min(kAtOnce, positions.size()));
      for (const uint64_t position : some) {
        __builtin_prefetch(&hints_[position >> hint_shift_]);
      }
      for (const uint64_t position : some) {
        __builtin_prefetch(&before_[hints_[position >> hint_shift_]]);
      }
      for (size_t i = 0; i < some.size(); ++i) {
        blocks[i] = BlockOf(some[i]);
        __builtin_prefetch(&bits_[blocks[i] * kBlockWords]);
      }
      for (size_t i = 0; i < some.size(); ++i) {
        some[i] = first_id_ + RecordAt(some[i], blocks[i]);
      }
      positions = positions.subspan(some.size());
    }
  }

 private:
  // The last block before which there are no more records than `position`.
  uint64_t BlockOf(uint64_t position) const {
    assert(position < records());
    const uint64_t hint = position >> hint_shift_;
    const uint64_t* block = &before_[hints_[hint]];
    for (uint64_t left = hints_[hint + 1] - hints_[hint] + 1; left > 1;) {
      const uint64_t half = left / 2;
      block += block[half] <= position ? half : 0;
      left -= half;
    }
    return static_cast<uint64_t>(block - before_.data());
  }

  uint64_t RecordAt(uint64_t position, uint64_t block) const {
    const uint64_t n = position - before_[block];
    const uint64_t* const words = &bits_[block * kBlockWords];
    // Without a branch, as nobody could foretell it.
    uint64_t word = 0, sum = 0, before = 0;
    for (uint64_t i = 0; i + 1 < kBlockWords; ++i) {
      sum += SumsOfBytes(words[i]) >> 56;
      word += sum <= n ? 1 : 0;
      before = sum <= n ? sum : before;
    }
    return (block * kBlockWords + word) * kWordBits +
           PlaceOfSetBit(words[word], n - before);
  }

  const uint64_t first_id_;
  const uint64_t last_id_;
  const std::vector<uint64_t> bits_;  // of whole blocks
  // Of each block, how many records are kept before it; then of all.
  std::vector<uint64_t> before_;
  // The block that holds number 0, 1 << hint_shift_, 2 << hint_shift_ ... of
  // the records that are kept; then one behind the last.
  std::vector<uint64_t> hints_;
  int hint_shift_ = 0;
};

}  // namespace

std::vector<uint64_t> SplitBits(const SplitOptions& split, uint64_t records) {
  assert(split.begin >= 0 && split.begin < split.end && split.end <= 1);
  const uint64_t key = HashSeed(split.seed, 0, SeedStage::kSplit, 0);
  const auto begin = static_cast<uint64_t>(split.begin * 0x1p64);
  const bool to_the_end = split.end == 1;  // 2^64 is no number
  const uint64_t end =
      to_the_end ? 0 : static_cast<uint64_t>(split.end * 0x1p64);
  std::vector<uint64_t> bits((records + kWordBits - 1) / kWordBits);
  for (uint64_t record = 0; record < records; ++record) {
    const uint64_t draw = DrawAt(key, record);
    const bool in = draw >= begin && (to_the_end || draw < end);
    bits[record / kWordBits] |= uint64_t{in} << record % kWordBits;
  }
  return bits;
}

std::unique_ptr<const Order> KeptOrder(std::vector<uint64_t> bits,
                                       uint64_t records, uint64_t first_id) {
  assert(bits.size() == (records + kWordBits - 1) / kWordBits);
  bits.resize((bits.size() + kBlockWords - 1) / kBlockWords * kBlockWords);
  bits.shrink_to_fit();
  return std::make_unique<Kept>(std::move(bits), records, first_id);
}

}  // namespace penstock
