#include "tokenizer/piece_trie.h"

#include <fmt/format.h>

#include <algorithm>

#include "absl/status/status.h"

namespace penstock {

using Pieces = std::vector<std::pair<std::string_view, TokenId>>;

// Lays nodes out depth first. A node's children go where its first child finds
// a free unit among the newest blocks and its others fit; failing a few such
// places, into a new block.
class PieceTrieBuilder {
 public:
  PieceTrieBuilder(const Pieces& pieces, PieceTrie& trie)
      : pieces_(pieces), units_(trie.units_) {}

  bool Build() {
    units_.assign(2 * PieceTrie::kBlock, {});
    taken_bases_.assign(units_.size(), false);
    taken_bases_[PieceTrie::Root()] = true;
    first_free_ = units_.size();
    stack_.push_back({0, pieces_.size(), 0, kNoUnit});
    while (!stack_.empty()) {
      const Range range = stack_.back();
      stack_.pop_back();
      if (!Place(range)) return false;
    }
    return true;
  }

 private:
  static constexpr uint32_t kNoUnit = 0xffffffff;
  static constexpr size_t kMaxUnits = size_t{1} << 23;
  static constexpr int kTries = 64;
  static constexpr size_t kOpenUnits = 16 * PieceTrie::kBlock;

  // Pieces [begin, end) share their first `depth` bytes, which lead to `unit`.
  struct Range {
    size_t begin, end, depth;
    uint32_t unit;
  };
  struct Child {
    unsigned char label;
    size_t begin, end;
  };

  bool Place(const Range& range) {
    size_t begin = range.begin;
    if (pieces_[begin].first.size() == range.depth) {
      units_[range.unit].id = static_cast<int32_t>(pieces_[begin].second);
      ++begin;
    }
    children_.clear();
    for (size_t i = begin; i < range.end; ++i) {
      const auto label =
          static_cast<unsigned char>(pieces_[i].first[range.depth]);
      if (children_.empty() || children_.back().label != label) {
        children_.push_back({label, i, i});
      }
      children_.back().end = i + 1;
    }
    if (children_.empty()) return true;
    const uint32_t base =
        range.unit == kNoUnit ? PieceTrie::Root() : FindBase();
    if (units_.size() > kMaxUnits) return false;
    if (range.unit != kNoUnit) units_[range.unit].word |= base << 9;
    for (const Child& child : children_) {
      const uint32_t unit = base ^ child.label;
      units_[unit].word = 0x100u | child.label;
      stack_.push_back({child.begin, child.end, range.depth + 1, unit});
    }
    return true;
  }

  bool IsFree(uint32_t unit) const { return units_[unit].word == 0; }

  uint32_t FindBase() {
    while (first_free_ < units_.size() && !IsFree(first_free_)) ++first_free_;
    if (units_.size() - first_free_ > kOpenUnits) {
      first_free_ = units_.size() - kOpenUnits;
    }
    int tries = kTries;
    for (size_t unit = first_free_; unit < units_.size() && tries > 0; ++unit) {
      if (!IsFree(unit)) continue;
      --tries;
      const uint32_t base = static_cast<uint32_t>(unit) ^ children_[0].label;
      if (taken_bases_[base]) continue;
      if (std::all_of(children_.begin(), children_.end(),
                      [&](const Child& c) { return IsFree(base ^ c.label); })) {
        taken_bases_[base] = true;
        return base;
      }
    }
    const auto base = static_cast<uint32_t>(units_.size());
    units_.resize(units_.size() + PieceTrie::kBlock);
    taken_bases_.resize(units_.size(), false);
    taken_bases_[base] = true;
    return base;
  }

  const Pieces& pieces_;
  std::vector<PieceTrie::Unit>& units_;
  // No two nodes may have one base: a unit does not say whose child it is.
  std::vector<bool> taken_bases_;
  size_t first_free_ = 0;  // units before it are taken or given up
  std::vector<Range> stack_;
  std::vector<Child> children_;
};

absl::StatusOr<PieceTrie> PieceTrie::Build(Pieces pieces) {
  PieceTrie trie;
  if (pieces.empty()) return trie;
  std::sort(pieces.begin(), pieces.end());
  if (!PieceTrieBuilder(pieces, trie).Build()) {
    return absl::ResourceExhaustedError(fmt::format(
        "the vocabulary's {} pieces have more than 8 million prefixes",
        pieces.size()));
  }
  return trie;
}

int32_t PieceTrie::Find(std::string_view text) const {
  Node node = Root();
  int32_t id = kNoPiece;
  for (const char c : text) {
    if (!Step(node, static_cast<unsigned char>(c), id)) return kNoPiece;
  }
  return id;
}

}  // namespace penstock
