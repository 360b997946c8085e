#include "tokenizer/training/pair_merger.h"

#include <algorithm>
#include <cassert>

namespace penstock {

PairMerger::Occurrences& PairMerger::NewPairs::Of(TokenId symbol) {
  if (symbol >= index.size()) index.resize(symbol + size_t{1024}, kNone);
  if (index[symbol] == kNone) {
    index[symbol] = static_cast<uint32_t>(pairs.size());
    symbols.push_back(symbol);
    pairs.emplace_back();
  }
  return pairs[index[symbol]];
}

void PairMerger::NewPairs::Clear() {
  for (const TokenId symbol : symbols) index[symbol] = kNone;
  symbols.clear();
  pairs.clear();
}

PairMerger::PairMerger(uint64_t size_bytes, uint64_t min_frequency)
    : min_frequency_(min_frequency) {
  symbols_.reserve(size_bytes);
}

void PairMerger::AddPiece(std::string_view piece, uint64_t count,
                          std::span<const TokenId> byte_ids) {
  if (piece.size() < 2) return;
  const auto number = static_cast<uint32_t>(piece_counts_.size());
  piece_counts_.push_back(count);
  const auto begin = static_cast<uint32_t>(symbols_.size());
  for (uint32_t i = 0; i < piece.size(); ++i) {
    const TokenId id = byte_ids[static_cast<unsigned char>(piece[i])];
    symbols_.push_back({id, i == 0 ? kNone : begin + i - 1,
                        i + 1 == piece.size() ? kNone : begin + i + 1, number});
  }
}

void PairMerger::Begin() {
  for (uint32_t place = 0; place < symbols_.size(); ++place) {
    const Symbol& symbol = symbols_[place];
    if (symbol.after == kNone) continue;
    Occurrences& pair = pairs_[KeyOf(symbol.id, symbols_[symbol.after].id)];
    pair.count += piece_counts_[symbol.piece];
    pair.places.push_back(place);
  }
  absl::erase_if(pairs_, [&](const auto& pair) {
    return pair.second.count < min_frequency_;
  });
  std::vector<Candidate> candidates;
  for (const auto& [key, pair] : pairs_)
    candidates.push_back({pair.count, key});
  heap_ = std::priority_queue<Candidate>({}, std::move(candidates));
}

std::optional<PairMerger::Pair> PairMerger::MostFrequent() {
  while (!heap_.empty()) {
    const Candidate top = heap_.top();
    const auto found = pairs_.find(top.key);
    if (found == pairs_.end()) {
      heap_.pop();
    } else if (found->second.count < top.count) {
      heap_.pop();
      heap_.push({found->second.count, top.key});
    } else {
      return Pair(top.key >> 32, static_cast<TokenId>(top.key));
    }
  }
  return std::nullopt;
}

void PairMerger::Merge(Pair pair, TokenId merged) {
  const auto found = pairs_.find(KeyOf(pair.first, pair.second));
  std::vector<uint32_t> places = std::move(found->second.places);
  pairs_.erase(found);
  heap_.pop();
  // So that in a run of one symbol the left two merge.
  assert(std::is_sorted(places.begin(), places.end()));
  for (const uint32_t place : places) MergeAt(place, pair, merged);
  for (NewPairs* side : {&left_of_merged_, &right_of_merged_}) {
    for (size_t i = 0; i < side->symbols.size(); ++i) {
      const TokenId other = side->symbols[i];
      if (side == &left_of_merged_) {
        Keep(other, merged, side->pairs[i]);
      } else {
        Keep(merged, other, side->pairs[i]);
      }
    }
    side->Clear();
  }
}

void PairMerger::MergeAt(uint32_t place, Pair pair, TokenId merged) {
  Symbol& left = symbols_[place];
  if (left.id != pair.first || left.after == kNone) return;
  Symbol& right = symbols_[left.after];
  if (right.id != pair.second) return;
  if (left.before != kNone) {
    const TokenId before = symbols_[left.before].id;
    Remove(before, left.id, merged, place);
    Add(before, merged, merged, left.before);
  }
  if (right.after != kNone) {
    const TokenId after = symbols_[right.after].id;
    Remove(right.id, after, merged, place);
    Add(merged, after, merged, place);
    symbols_[right.after].before = place;
  }
  left.id = merged;
  left.after = right.after;
  right.id = kGone;
}

void PairMerger::Add(TokenId left, TokenId right, TokenId merged,
                     uint32_t place) {
  Occurrences& pair =
      right == merged ? left_of_merged_.Of(left) : right_of_merged_.Of(right);
  pair.count += piece_counts_[symbols_[place].piece];
  pair.places.push_back(place);
}

void PairMerger::Remove(TokenId left, TokenId right, TokenId merged,
                        uint32_t place) {
  const uint64_t count = piece_counts_[symbols_[place].piece];
  if (left == merged) {
    // Made a moment ago, where a run of one symbol merges.
    right_of_merged_.Of(right).count -= count;
    return;
  }
  const auto found = pairs_.find(KeyOf(left, right));
  if (found == pairs_.end()) return;  // rare, or the pair that merges
  Occurrences& pair = found->second;
  pair.count -= count;
  if (pair.count < min_frequency_) pairs_.erase(found);
}

void PairMerger::Keep(TokenId left, TokenId right, Occurrences& found) {
  if (found.count < min_frequency_) return;
  const uint64_t key = KeyOf(left, right);
  heap_.push({found.count, key});
  pairs_.emplace(key, std::move(found));
}

}  // namespace penstock
