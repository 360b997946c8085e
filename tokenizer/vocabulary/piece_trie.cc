#include "tokenizer/vocabulary/piece_trie.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "formats/files/status_or.h"
#include "formats/memory/huge_pages.h"

namespace penstock {

using Pieces = std::vector<std::pair<std::string_view, TokenId>>;

// Lays nodes out depth first. A node's children go where its first child finds
// a free unit among the newest blocks and its others fit; failing a few such
// places, into a new block.
class PieceTrieBuilder {
 public:
  PieceTrieBuilder(const Pieces& pieces, std::span<TokenId> shorter)
      : pieces_(pieces), shorter_(shorter) {}

  bool Build(PieceTrie& trie) {
    units_.assign(2 * PieceTrie::kBlock, {});
    taken_bases_.assign(units_.size(), false);
    free_.assign(units_.size() / 64, 0);
    first_open_ = free_.size();
    stack_.push_back({0, pieces_.size(), 0, kNoUnit, kNone});
    while (!stack_.empty()) {
      const Range range = stack_.back();
      stack_.pop_back();
      if (!Place(range)) return false;
    }
    trie.units_ = Table<PieceTrie::Unit>(std::move(units_));
    return true;
  }

 private:
  static constexpr uint32_t kNoUnit = 0xffffffff;
  static constexpr auto kNone = static_cast<TokenId>(PieceTrie::kNoPiece);
  static constexpr size_t kMaxUnits = size_t{1} << 23;
  static constexpr int kTries = 64;
  static constexpr size_t kOpenWords = 16 * PieceTrie::kBlock / 64;

  // Pieces [begin, end) share their first `depth` bytes, which lead to `unit`;
  // `longest` is the longest piece on the way there.
  struct Range {
    size_t begin, end, depth;
    uint32_t unit;
    TokenId longest;
  };
  struct Child {
    unsigned char label;
    size_t begin, end;
  };

  bool Place(const Range& range) {
    size_t begin = range.begin;
    TokenId longest = range.longest;
    if (pieces_[begin].first.size() == range.depth) {
      const TokenId id = pieces_[begin].second;
      units_[range.unit].id = static_cast<int32_t>(id);
      if (!shorter_.empty()) shorter_[id] = longest;
      longest = id;
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
    taken_bases_[base] = true;
    if (range.unit != kNoUnit) units_[range.unit].word |= base << 9;
    for (const Child& child : children_) {
      const uint32_t unit = base ^ child.label;
      free_[unit / 64] &= ~(uint64_t{1} << unit % 64);
      units_[unit].word = 0x100u | child.label;
      stack_.push_back(
          {child.begin, child.end, range.depth + 1, unit, longest});
    }
    return true;
  }

  bool IsFree(uint32_t unit) const { return free_[unit / 64] >> unit % 64 & 1; }

  // The children's labels are xored into it.
  bool Fits(uint32_t base) const {
    return !taken_bases_[base] &&
           std::all_of(children_.begin() + 1, children_.end(),
                       [&](const Child& c) { return IsFree(base ^ c.label); });
  }

  uint32_t FindBase() {
    while (first_open_ < free_.size() && free_[first_open_] == 0) ++first_open_;
    if (free_.size() - first_open_ > kOpenWords) {
      first_open_ = free_.size() - kOpenWords;
    }
    int tries = kTries;
    for (size_t word = first_open_; word < free_.size(); ++word) {
      for (uint64_t rest = free_[word]; rest != 0; rest &= rest - 1) {
        if (--tries < 0) return AddBlock();
        const auto unit =
            static_cast<uint32_t>(word * 64 + std::countr_zero(rest));
        const uint32_t base = unit ^ children_[0].label;
        if (Fits(base)) return base;
      }
    }
    return AddBlock();
  }

  // The base of a new one, all of whose units are free.
  uint32_t AddBlock() {
    const auto base = static_cast<uint32_t>(units_.size());
    units_.resize(base + PieceTrie::kBlock);
    taken_bases_.resize(units_.size());
    free_.resize(units_.size() / 64, ~uint64_t{0});
    return base;
  }

  const Pieces& pieces_;
  HugePageVector<PieceTrie::Unit> units_;
  const std::span<TokenId> shorter_;
  // No two nodes may have one base: a unit does not say whose child it is.
  std::vector<bool> taken_bases_;
  std::vector<uint64_t> free_;  // a bit for each unit
  size_t first_open_ = 0;       // words of free_ before it have none or few
  std::vector<Range> stack_;
  std::vector<Child> children_;
};

namespace {

// The first eight bytes decide nearly always. Places are dealt out by the first
// two, so that each sort is of few.
void SortByText(Pieces& pieces) {
  struct Place {
    uint64_t head;
    size_t index;
  };
  constexpr int kDealt = 16;  // bits
  std::vector<size_t> ends((size_t{1} << kDealt) + 1);
  std::vector<Place> read;
  read.reserve(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view text = pieces[i].first;
    uint64_t head = 0;
    for (size_t k = 0; k < 8; ++k) {
      head = head << 8 | (k < text.size() ? static_cast<uint8_t>(text[k]) : 0);
    }
    read.push_back({head, i});
    ++ends[(head >> (64 - kDealt)) + 1];
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  // Each is a begin still, and becomes an end.
  std::vector<Place> places(read.size());
  for (const Place& place : read) {
    places[ends[place.head >> (64 - kDealt)]++] = place;
  }
  auto begin = places.begin();
  for (size_t bucket = 0; begin != places.end(); ++bucket) {
    const auto end = places.begin() + static_cast<ptrdiff_t>(ends[bucket]);
    std::sort(begin, end, [&](const Place& a, const Place& b) {
      if (a.head != b.head) return a.head < b.head;
      return pieces[a.index].first < pieces[b.index].first;
    });
    begin = end;
  }
  Pieces sorted;
  sorted.reserve(pieces.size());
  for (const Place& place : places) sorted.push_back(pieces[place.index]);
  pieces = std::move(sorted);
}

}  // namespace

StatusOr<PieceTrie> PieceTrie::Build(Pieces pieces,
                                     std::span<TokenId> shorter) {
  PieceTrie trie;
  if (pieces.empty()) return trie;
  SortByText(pieces);
  if (!PieceTrieBuilder(pieces, shorter).Build(trie)) {
    return ResourceExhaustedError(fmt::format(
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

void PieceTrie::Remove(std::string_view text) {
  Node node = Root();
  uint32_t unit = 0;
  for (const char c : text) {
    unit = node ^ static_cast<unsigned char>(c);
    node = units_[unit].word >> 9;
  }
  units_.At(unit).id = kNoPiece;
}

PieceTrie PieceTrie::Load(TableReader& from) {
  PieceTrie trie;
  trie.units_ = from.TakeTable<Unit>();
  from.Expect(trie.units_.size() >= 2 * kBlock);
  return from.ok() ? std::move(trie) : PieceTrie();
}

}  // namespace penstock
