#include "tokenizer/bpe.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace penstock {
namespace {

// Up to here scanning beats the heap.
constexpr size_t kShortPiece = 96;

unsigned char ByteAt(std::string_view piece, size_t i) {
  return static_cast<unsigned char>(piece[i]);
}

}  // namespace

void MergeTable::Add(TokenId left, TokenId right, Merge merge) {
  if (slots_.size() <= used_ * 2) Grow();
  Slot& slot = slots_[SlotOf(KeyOf(left, right))];
  if (slot.key == kFree) ++used_;
  slot = {KeyOf(left, right), merge};
}

void MergeTable::Grow() {
  const std::vector<Slot> old = std::exchange(slots_, {});
  slots_.resize(old.empty() ? 1024 : old.size() * 2);
  for (const Slot& slot : old) {
    if (slot.key != kFree) slots_[SlotOf(slot.key)] = slot;
  }
}

MergeTable MergesByRank(const Vocabulary& vocabulary) {
  MergeTable merges;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
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
  if (piece.size() <= kShortPiece) {
    EncodeShort(piece, ids);
  } else {
    EncodeLong(piece, ids);
  }
}

void Bpe::EncodeShort(std::string_view piece, std::vector<TokenId>& ids) const {
  if (piece.empty()) return;
  // Symbol i and symbol i + 1 would merge into merged[i] at ranks[i].
  TokenId symbols[kShortPiece];
  uint32_t ranks[kShortPiece];
  TokenId merged[kShortPiece];
  size_t n = piece.size();
  for (size_t i = 0; i < n; ++i) symbols[i] = byte_ids_[ByteAt(piece, i)];
  for (size_t i = 0; i + 1 < n; ++i) {
    const Merge merge =
        byte_merges_[ByteAt(piece, i) * 256u + ByteAt(piece, i + 1)];
    ranks[i] = merge.rank;
    merged[i] = merge.merged;
  }
  const auto renew = [&](size_t i) {
    const Merge merge = merges_.Find(symbols[i], symbols[i + 1]);
    ranks[i] = merge.rank;
    merged[i] = merge.merged;
  };
  while (n > 1) {
    const size_t best = std::min_element(ranks, ranks + n - 1) - ranks;
    if (ranks[best] == Merge::kNever) break;
    symbols[best] = merged[best];
    std::copy(symbols + best + 2, symbols + n, symbols + best + 1);
    if (best + 2 < n) {
      std::copy(ranks + best + 2, ranks + n - 1, ranks + best + 1);
      std::copy(merged + best + 2, merged + n - 1, merged + best + 1);
    }
    --n;
    if (best > 0) renew(best - 1);
    if (best + 1 < n) renew(best);
  }
  ids.insert(ids.end(), symbols, symbols + n);
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
