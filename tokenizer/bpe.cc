#include "tokenizer/bpe.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

namespace penstock {
namespace {

// The pieces that are scanned, and the bits that number their bytes.
constexpr int kPlaceBits = 7;
constexpr size_t kShortPiece = 1 << kPlaceBits;
static_assert(uint64_t{kEndOfRanks} << kPlaceBits <= 1u << 31);

// Scans go over whole blocks, so that compilers vectorise them.
constexpr size_t kScanBlock = 8;

unsigned char ByteAt(std::string_view piece, size_t i) {
  return static_cast<unsigned char>(piece[i]);
}

size_t PairOfBytes(std::string_view piece, size_t i) {
  return ByteAt(piece, i) * size_t{256} + ByteAt(piece, i + 1);
}

}  // namespace

void MergeTable::Add(TokenId left, TokenId right, Merge merge) {
  if (slots_.size() <= used_ * 2) {
    Resize(slots_.empty() ? 1024 : slots_.size() * 2);
  }
  const uint64_t key = KeyOf(left, right);
  const size_t slot = SlotOf(key);
  if (slots_[slot].key == kFree) ++used_;
  Store(slot, {key, merge});
}

void MergeTable::Reserve(size_t pairs) {
  const size_t slots = std::bit_ceil(pairs * 2 + 2);
  if (slots > slots_.size()) Resize(std::max<size_t>(slots, 1024));
}

void MergeTable::Resize(size_t slots) {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(slots);
  filter_.assign(slots_.size() * 2 / 64, 0);
  for (const Slot& slot : old) {
    if (slot.key != kFree) Store(SlotOf(slot.key), slot);
  }
}

MergeTable MergesByRank(const Vocabulary& vocabulary) {
  MergeTable merges;
  // Published vocabularies have two or three pairs to a token.
  merges.Reserve(vocabulary.tokens() * 5 / 2);
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      vocabulary.Prefetch(bytes.substr(0, cut));
      vocabulary.Prefetch(bytes.substr(cut));
    }
    for (size_t cut = 1; cut < bytes.size(); ++cut) {
      const auto left = vocabulary.Find(bytes.substr(0, cut));
      if (!left) continue;
      const auto right = vocabulary.Find(bytes.substr(cut));
      if (right) merges.Add(*left, *right, {.rank = id, .merged = id});
    }
  }
  return merges;
}

Bpe::Bpe(const Vocabulary& vocabulary, MergeTable merges)
    : byte_merges_(256 * 256), merges_(std::move(merges)) {
  for (size_t byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    byte_ids_[byte] = vocabulary.Find({&spelled, 1}).value_or(kNoToken);
  }
  for (size_t pair = 0; pair < byte_merges_.size(); ++pair) {
    byte_merges_[pair] =
        merges_.Find(byte_ids_[pair >> 8], byte_ids_[pair & 255]);
  }
}

void Bpe::Encode(std::string_view piece, std::vector<TokenId>& ids) const {
  if (piece.empty()) return;
  if (piece.size() <= kShortPiece) {
    EncodeShort(piece, ids);
  } else {
    EncodeLong(piece, ids);
  }
}

void Bpe::EncodeShort(std::string_view piece, std::vector<TokenId>& ids) const {
  // Symbols stay at the byte where they begin. keys[i] is the rank at which
  // symbol i and the one after it would merge into merged[i], and i: the
  // smallest key is the merge to make, the leftmost of equal rank.
  constexpr int32_t kNoKey = 0x7fffffff;
  TokenId symbols[kShortPiece];
  TokenId merged[kShortPiece];
  alignas(32) int32_t keys[kShortPiece];
  uint8_t next[kShortPiece];
  uint8_t previous[kShortPiece];
  const size_t n = piece.size();
  const size_t end_of_keys = (n + kScanBlock - 1) / kScanBlock * kScanBlock;
  const auto set_merge = [&](size_t i, Merge merge) {
    merged[i] = merge.merged;
    keys[i] = merge.rank == Merge::kNever
                  ? kNoKey
                  : static_cast<int32_t>(merge.rank << kPlaceBits | i);
  };
  for (size_t i = 0; i < n; ++i) {
    symbols[i] = byte_ids_[ByteAt(piece, i)];
    next[i] = static_cast<uint8_t>(i + 1);
    previous[i] = static_cast<uint8_t>(i - 1);
    if (i + 1 < n) set_merge(i, byte_merges_[PairOfBytes(piece, i)]);
  }
  std::fill(keys + n - 1, keys + end_of_keys, kNoKey);
  while (true) {
    int32_t best = kNoKey;
    for (size_t i = 0; i < end_of_keys; ++i) best = std::min(best, keys[i]);
    if (best == kNoKey) break;
    const size_t left = best & (kShortPiece - 1);
    const size_t right = next[left];
    const size_t after = next[right];
    symbols[left] = merged[left];
    keys[right] = kNoKey;
    next[left] = static_cast<uint8_t>(after);
    if (after < n) {
      previous[after] = static_cast<uint8_t>(left);
      set_merge(left, merges_.Find(symbols[left], symbols[after]));
    } else {
      keys[left] = kNoKey;
    }
    if (left > 0) {
      const size_t before = previous[left];
      set_merge(before, merges_.Find(symbols[before], symbols[left]));
    }
  }
  for (size_t i = 0; i < n; i = next[i]) ids.push_back(symbols[i]);
}

void Bpe::EncodeLong(std::string_view piece, std::vector<TokenId>& ids) const {
  constexpr uint32_t kEnd = 0xffffffff;
  struct Symbol {
    TokenId id;  // kNoToken once merged into the one before
    uint32_t previous, next;
  };
  struct Candidate {
    uint32_t rank, position;
    TokenId left, right;  // what it would merge: stale if they changed
    TokenId merged;
    bool operator>(const Candidate& other) const {
      return std::pair(rank, position) > std::pair(other.rank, other.position);
    }
  };
  const auto n = static_cast<uint32_t>(piece.size());
  std::vector<Symbol> symbols(n);
  std::vector<Candidate> storage;
  storage.reserve(n);
  std::priority_queue heap(std::greater<Candidate>(), std::move(storage));
  const auto consider = [&](uint32_t position) {
    const Symbol& left = symbols[position];
    if (left.next == kEnd) return;
    const TokenId right = symbols[left.next].id;
    const Merge merge = merges_.Find(left.id, right);
    if (merge.rank == Merge::kNever) return;
    heap.push({merge.rank, position, left.id, right, merge.merged});
  };
  for (uint32_t i = 0; i < n; ++i) {
    symbols[i] = {byte_ids_[ByteAt(piece, i)], i == 0 ? kEnd : i - 1,
                  i + 1 == n ? kEnd : i + 1};
  }
  for (uint32_t i = 0; i < n; ++i) consider(i);
  while (!heap.empty()) {
    const Candidate best = heap.top();
    heap.pop();
    Symbol& left = symbols[best.position];
    if (left.id != best.left || left.next == kEnd) continue;
    Symbol& right = symbols[left.next];
    if (right.id != best.right) continue;
    left.id = best.merged;
    right.id = kNoToken;
    left.next = right.next;
    if (left.next != kEnd) symbols[left.next].previous = best.position;
    if (left.previous != kEnd) consider(left.previous);
    consider(best.position);
  }
  for (uint32_t i = 0; i != kEnd; i = symbols[i].next) {
    ids.push_back(symbols[i].id);
  }
}

}  // namespace penstock
