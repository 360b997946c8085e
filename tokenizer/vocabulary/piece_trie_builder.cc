#include "tokenizer/vocabulary/piece_trie_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary/first_bytes.h"

namespace penstock {

// Lays nodes out depth first. A node's children go to the first place among the
// newest units where all of them fit.
class PieceTrieBuilder::Layout {
 public:
  // `pieces` are sorted.
  Layout(std::span<const Piece> pieces, std::span<TokenId> shorter)
      : pieces_(pieces), shorter_(shorter) {}

  // False if there are too many units.
  bool Make(PieceTrie& trie) {
    units_.reserve(UnitsOfPieces());
    AddUnits();  // a dead end's
    first_open_ = free_.size();
    AddUnits();
    stack_.push_back({0, pieces_.size(), 0, kNoUnit, kNone});
    while (!stack_.empty()) {
      Range range = stack_.back();
      stack_.pop_back();
      EndPiece(range);
      if (range.begin == range.end) continue;
      if (range.begin + 1 == range.end) {
        PlaceRest(range);
      } else {
        PlaceChildren(range);
      }
      if (units_.size() > kMaxUnits) return false;
    }
    trie.units_ = Table<PieceTrie::Unit>(std::move(units_));
    return true;
  }

 private:
  static constexpr uint32_t kNoUnit = 0xffffffff;
  static constexpr auto kNone = static_cast<TokenId>(PieceTrie::kNoPiece);
  static constexpr size_t kMaxUnits = size_t{1} << 23;
  // Words that are looked at again behind which a place was found. More make
  // the trie hardly smaller.
  static constexpr size_t kOpenWords = 1;

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

  // About as many as there will be.
  size_t UnitsOfPieces() const {
    size_t nodes = 0;
    for (size_t i = 1; i < pieces_.size(); ++i) {
      const uint64_t change = pieces_[i].head ^ pieces_[i - 1].head;
      nodes += pieces_[i].size -
               std::min<size_t>(std::countl_zero(change) / 8, pieces_[i].size);
    }
    return std::min(nodes + nodes / 8 + 4 * PieceTrie::kBlock, kMaxUnits);
  }

  // A piece that ends where the range begins has its id there.
  void EndPiece(Range& range) {
    const Piece& piece = pieces_[range.begin];
    if (piece.size != range.depth) return;
    units_[range.unit].id = static_cast<int32_t>(piece.id);
    if (!shorter_.empty()) shorter_[piece.id] = range.longest;
    range.longest = piece.id;
    ++range.begin;
  }

  void PlaceChildren(const Range& range) {
    children_.clear();
    for (size_t i = range.begin; i < range.end;) {
      const unsigned char label = pieces_[i].ByteAt(range.depth);
      const size_t begin = i;
      while (++i < range.end && pieces_[i].ByteAt(range.depth) == label) {
      }
      children_.push_back({label, begin, i});
    }
    const uint32_t base = Place(range.unit, children_);
    for (const Child& child : children_) {
      stack_.push_back({child.begin, child.end, range.depth + 1,
                        base + child.label, range.longest});
    }
  }

  // Of the only piece.
  void PlaceRest(Range range) {
    const Piece& piece = pieces_[range.begin];
    for (; range.depth < piece.size; ++range.depth) {
      if (units_.size() > kMaxUnits) return;
      const Child child = {piece.ByteAt(range.depth), range.begin, range.end};
      range.unit = Place(range.unit, {&child, 1}) + child.label;
    }
    EndPiece(range);
  }

  // Makes `children` those of `unit`, and gives the base.
  uint32_t Place(uint32_t unit, std::span<const Child> children) {
    const uint32_t base = FindBase(children);
    free_bases_[base / 64] &= ~(uint64_t{1} << base % 64);
    if (unit != kNoUnit) units_[unit].word |= base << 9;
    for (const Child& child : children) {
      const uint32_t place = base + child.label;
      free_[place / 64] &= ~(uint64_t{1} << place % 64);
      units_[place].word = 0x100u | child.label;
    }
    return base;
  }

  // Looks at 64 bases at a time. The root's is the first of all.
  uint32_t FindBase(std::span<const Child> children) {
    for (size_t word = first_open_;; ++word) {
      // The units of a word's bases are in five.
      if (word + 5 > free_.size()) AddUnits();
      uint64_t fits = free_bases_[word];
      for (const Child& child : children) {
        if (fits == 0) break;
        fits &= FreeFrom(word * 64 + child.label);
      }
      if (fits != 0) {
        if (word > first_open_ + kOpenWords) first_open_ = word - kOpenWords;
        return static_cast<uint32_t>(word * 64 + std::countr_zero(fits));
      }
    }
  }

  // A bit for each of the 64 units from `unit` on.
  uint64_t FreeFrom(size_t unit) const {
    const uint64_t* const words = &free_[unit / 64];
    return words[0] >> unit % 64 | words[1] << 1 << (63 - unit % 64);
  }

  void AddUnits() {
    units_.resize(units_.size() + PieceTrie::kBlock);
    free_.resize(units_.size() / 64, ~uint64_t{0});
    free_bases_.resize(units_.size() / 64, ~uint64_t{0});
  }

  const std::span<const Piece> pieces_;
  const std::span<TokenId> shorter_;
  HugePageVector<PieceTrie::Unit> units_;
  std::vector<uint64_t> free_;  // a bit for each unit
  // No two nodes may have one base: a unit does not say whose child it is.
  std::vector<uint64_t> free_bases_;
  size_t first_open_ = 0;  // words before it are too old to look for
  std::vector<Range> stack_;
  std::vector<Child> children_;
};

void PieceTrieBuilder::Add(std::string_view text, TokenId id) {
  pieces_.push_back({__builtin_bswap64(FirstBytes(text)), text.data(),
                     static_cast<uint32_t>(text.size()), id});
}

StatusOr<PieceTrie> PieceTrieBuilder::Build(std::span<TokenId> shorter) {
  PieceTrie trie;
  const size_t pieces = pieces_.size();
  if (pieces == 0) return trie;
  pieces_.resize(2 * pieces);
  Sort(std::span(pieces_).first(pieces), &pieces_[pieces], /*depth=*/0);
  pieces_.resize(pieces);
  if (!Layout(pieces_, shorter).Make(trie)) {
    return ResourceExhaustedError(fmt::format(
        "the vocabulary's {} pieces have more than 8 million prefixes",
        pieces));
  }
  return trie;
}

// By one byte after the other; all have the first `depth` in common. Few are
// compared. `scratch` has room for as many.
void PieceTrieBuilder::Sort(std::span<Piece> pieces, Piece* scratch,
                            int depth) {
  constexpr size_t kFew = 32;
  if (pieces.size() <= kFew || depth == 8) {
    std::sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      return a.head != b.head ? a.head < b.head : a.view() < b.view();
    });
    return;
  }
  const auto byte_of = [shift = 56 - 8 * depth](const Piece& piece) {
    return piece.head >> shift & 0xff;
  };
  std::array<size_t, 257> ends = {};
  for (const Piece& piece : pieces) ++ends[byte_of(piece) + 1];
  if (ends[byte_of(pieces[0]) + 1] == pieces.size()) {
    Sort(pieces, scratch, depth + 1);
    return;
  }
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::copy(pieces.begin(), pieces.end(), scratch);
  // Each is a begin still, and becomes an end.
  for (const Piece& piece : std::span(scratch, pieces.size())) {
    pieces[ends[byte_of(piece)]++] = piece;
  }
  size_t begin = 0;
  for (size_t byte = 0; begin < pieces.size(); ++byte) {
    const size_t size = ends[byte] - begin;
    if (size > 1) Sort(pieces.subspan(begin, size), scratch, depth + 1);
    begin += size;
  }
}

}  // namespace penstock
