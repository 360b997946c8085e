#include "tokenizer/sentencepiece/merge_segmenter.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>

#include "tokenizer/unicode/utf8.h"
#include "tokenizer/vocabulary/part_reader.h"

namespace penstock {
namespace {

constexpr uint32_t kNone = 0xffffffff;
// sentencepiece takes a piece apart no further; what is left stays together.
constexpr int kMaxDepth = 100;

// Larger scores give smaller ranks; -0 ranks behind +0, as in sentencepiece.
uint32_t RankOf(float score) {
  const auto bits = std::bit_cast<uint32_t>(score);
  return bits >> 31 != 0 ? bits : ~bits & 0x7fffffff;
}

}  // namespace

struct MergeSegmenter::Symbol {
  uint32_t begin;
  uint32_t size;  // 0: merged into another
  uint32_t before, after;
  int32_t id;            // PieceTrie::kNoPiece: of no piece
  PieceTrie::Node node;  // where its bytes lead
  bool merges;           // is no user-defined symbol
};

struct MergeSegmenter::Merge {
  uint64_t order;  // rank, then place
  uint32_t right;
  uint32_t size;  // of both: one that has grown since makes this void
  int32_t id;
  PieceTrie::Node node;

  uint32_t left() const { return static_cast<uint32_t>(order); }
  // For the heap functions, which put the largest first.
  bool operator<(const Merge& other) const { return order > other.order; }
};

struct MergeSegmenter::OwnScratch : Scratch {
  PartCache cache;
  std::vector<Symbol> symbols;
  std::vector<Merge> heap;
  // Of unused pieces: the size of the left part of the last merge to it that
  // was offered, anywhere in the text.
  std::unordered_map<int32_t, uint32_t> left_sizes;
  std::vector<std::pair<std::string_view, int>> parts;  // with their depth
  std::vector<TokenId> ids;
};

MergeSegmenter::MergeSegmenter(std::span<const SentencePiece> pieces,
                               PieceTrie trie, PieceBoundaries boundaries,
                               const UserDefinedSymbols& symbols)
    : trie_(std::move(trie)),
      symbols_(symbols),
      boundaries_(std::move(boundaries)) {
  for (const SentencePiece& piece : pieces) {
    ranks_.push_back(RankOf(piece.score));
    unused_.push_back(piece.type == SentencePiece::Type::kUnused);
    has_unused_ |= unused_.back();
  }
  // How an unused piece is taken apart depends on the whole text.
  if (has_unused_) boundaries_ = PieceBoundaries();
}

std::unique_ptr<Segmenter::Scratch> MergeSegmenter::NewScratch() const {
  return std::make_unique<OwnScratch>();
}

void MergeSegmenter::Segment(std::string_view text, Scratch& scratch,
                             PieceSink& sink) const {
  auto& own = static_cast<OwnScratch&>(scratch);
  PartReader reader(text, boundaries_, own.cache);
  for (auto parts = reader.Next(); !parts.empty(); parts = reader.Next()) {
    for (const PartReader::Part& part : parts) {
      if (part.set == nullptr || has_unused_) {
        SegmentPart(part.text, /*dropout=*/nullptr, own, sink);
        continue;
      }
      bool known;
      PartCache::Entry& entry = own.cache.Claim(part.set, part.key, known);
      if (known && entry.count != 0) {
        sink.PutSome(entry.ids, entry.count);
        continue;
      }
      // Leaves the ids to remember, none if there is no piece for some of it.
      SegmentPart(part.text, /*dropout=*/nullptr, own, sink);
      entry.count = 0;
      if (own.ids.size() > PartCache::kMaxIds) continue;
      entry.count = static_cast<uint16_t>(own.ids.size());
      std::copy(own.ids.begin(), own.ids.end(), entry.ids);
    }
  }
}

Status MergeSegmenter::Sample(std::string_view text, const Sampling& sampling,
                              Draws& draws, Scratch& scratch,
                              PieceSink& sink) const {
  const auto rate = DropoutRate(sampling, std::nullopt);
  if (!rate.ok()) return rate.status();
  const Dropout dropout = {*rate, draws};
  auto& own = static_cast<OwnScratch&>(scratch);
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const part_end = boundaries_.PartEnd(at, end);
    SegmentPart({at, static_cast<size_t>(part_end - at)}, &dropout, own, sink);
    at = part_end;
  }
  return OkStatus();
}

void MergeSegmenter::SegmentPart(std::string_view part, const Dropout* dropout,
                                 OwnScratch& scratch, PieceSink& sink) const {
  std::vector<Merge>& heap = scratch.heap;
  const std::vector<Symbol>& symbols = scratch.symbols;
  heap.clear();
  scratch.left_sizes.clear();
  Split(part, scratch);
  for (uint32_t i = 1; i < symbols.size(); ++i) Offer(part, i - 1, i, scratch);
  std::make_heap(heap.begin(), heap.end());
  while (!heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const Merge merge = heap.back();
    heap.pop_back();
    const Symbol& left = symbols[merge.left()];
    const Symbol& right = symbols[merge.right];
    if (left.size == 0 || right.size == 0 ||
        left.size + right.size != merge.size) {
      continue;
    }
    if (dropout != nullptr && dropout->draws.Next() < dropout->rate) continue;
    Apply(merge, scratch);
    for (const auto& [l, r] : {std::pair(left.before, merge.left()),
                               std::pair(merge.left(), left.after)}) {
      if (l == kNone || r == kNone) continue;
      const size_t offered = heap.size();
      Offer(part, l, r, scratch);
      if (heap.size() != offered) std::push_heap(heap.begin(), heap.end());
    }
  }

  scratch.ids.clear();
  bool all_known = true;
  for (uint32_t i = 0; i != kNone; i = symbols[i].after) {
    const Symbol& symbol = symbols[i];
    const std::string_view text = part.substr(symbol.begin, symbol.size);
    if (symbol.id == PieceTrie::kNoPiece) {
      sink.PutUnknown(text);
      all_known = false;
    } else if (unused_[symbol.id]) {
      TakeApart(text, scratch, sink);
    } else {
      sink.Put(static_cast<TokenId>(symbol.id));
      scratch.ids.push_back(static_cast<TokenId>(symbol.id));
    }
  }
  if (!all_known) scratch.ids.clear();
}

void MergeSegmenter::Split(std::string_view part, OwnScratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  symbols.clear();
  const char* const end = part.data() + part.size();
  for (size_t at = 0; at < part.size();) {
    const char* const p = part.data() + at;
    size_t size = symbols_.Longest(p, end);
    const bool is_user_defined = size != 0;
    if (!is_user_defined) {
      size = std::min(Utf8SizeByLead(static_cast<unsigned char>(*p)),
                      part.size() - at);
    }
    const auto i = static_cast<uint32_t>(symbols.size());
    Symbol symbol = {static_cast<uint32_t>(at),
                     static_cast<uint32_t>(size),
                     i - 1,  // of the first: kNone
                     i + 1,
                     PieceTrie::kNoPiece,
                     PieceTrie::Root(),
                     !is_user_defined};
    for (size_t k = 0; k < size; ++k) {
      if (!trie_.Step(symbol.node, static_cast<unsigned char>(p[k]),
                      symbol.id)) {
        symbol.id = PieceTrie::kNoPiece;
        symbol.node = PieceTrie::DeadEnd();
        break;
      }
    }
    symbols.push_back(symbol);
    at += size;
  }
  symbols.back().after = kNone;
}

void MergeSegmenter::Offer(std::string_view part, uint32_t left, uint32_t right,
                           OwnScratch& scratch) const {
  const Symbol& l = scratch.symbols[left];
  const Symbol& r = scratch.symbols[right];
  if (!l.merges || !r.merges) return;
  PieceTrie::Node node = l.node;
  int32_t id = PieceTrie::kNoPiece;
  for (const char c : part.substr(r.begin, r.size)) {
    if (!trie_.Step(node, static_cast<unsigned char>(c), id)) return;
  }
  if (id == PieceTrie::kNoPiece) return;
  scratch.heap.push_back(
      {uint64_t{ranks_[id]} << 32 | left, right, l.size + r.size, id, node});
  if (unused_[id]) scratch.left_sizes[id] = l.size;
}

void MergeSegmenter::Apply(const Merge& merge, OwnScratch& scratch) const {
  Symbol& left = scratch.symbols[merge.left()];
  Symbol& right = scratch.symbols[merge.right];
  left.size = merge.size;
  left.id = merge.id;
  left.node = merge.node;
  left.after = right.after;
  if (right.after != kNone) scratch.symbols[right.after].before = merge.left();
  right.size = 0;
}

void MergeSegmenter::TakeApart(std::string_view text, OwnScratch& scratch,
                               PieceSink& sink) const {
  auto& parts = scratch.parts;
  parts.assign(1, {text, 0});
  while (!parts.empty()) {
    const auto [part, depth] = parts.back();
    parts.pop_back();
    const int32_t id = trie_.Find(part);
    if (id == PieceTrie::kNoPiece) {
      sink.PutUnknown(part);
      continue;
    }
    if (!unused_[id] || depth > kMaxDepth) {
      sink.Put(static_cast<TokenId>(id));
      continue;
    }
    const auto split = scratch.left_sizes.find(id);
    if (split == scratch.left_sizes.end()) {
      sink.PutUnknown(part);
      continue;
    }
    parts.push_back({part.substr(split->second), depth + 1});
    parts.push_back({part.substr(0, split->second), depth + 1});
  }
}

}  // namespace penstock
