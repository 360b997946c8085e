#include "tokenizer/sentencepiece/merge_segmenter.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tokenizer/pieces/part_reader.h"
#include "tokenizer/sentencepiece/merge_memory.h"
#include "tokenizer/sentencepiece/merge_order.h"
#include "tokenizer/unicode/utf8.h"

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
  uint32_t size;
  uint32_t before, after;
  TokenId id;         // kNoToken: of no piece
  bool merges;        // is no user-defined symbol
  TokenId merged_id;  // what it and the one behind it make, if they merge
};

struct MergeSegmenter::OwnScratch : Scratch {
  explicit OwnScratch(SharedParts& known) : reader(known.readers) {}

  Readers::Reader reader;
  Inserter parts_inserter{reader};
  Inserter long_inserter{reader};
  std::vector<Symbol> symbols;
  MergeOrder merges;
  MergeMemory memory;
  // Of unused pieces: the size of the left part of the last merge to it that
  // was offered, anywhere in the text.
  std::unordered_map<TokenId, uint32_t> left_sizes;
  std::vector<std::pair<std::string_view, int>> parts;  // with their depth
  std::vector<TokenId> ids;

  // Whether the part is one character, for which there is no piece.
  bool IsUnknownAlone() const {
    return symbols.size() == 1 && symbols[0].id == kNoToken;
  }

  // A part as long as a book is rare. Its ids are more than can be remembered.
  void GiveBackLongPart() {
    constexpr size_t kHeldSymbols = 1 << 16;
    if (symbols.capacity() <= kHeldSymbols) return;
    symbols = std::vector<Symbol>();
    merges = MergeOrder();
    ids = std::vector<TokenId>(PartIds::kMost + 1);
  }
};

MergeSegmenter::MergeSegmenter(std::span<const SentencePiece> pieces,
                               PieceBoundaries boundaries,
                               const Vocabulary& tokens,
                               const UserDefinedSymbols& symbols)
    : tokens_(tokens), symbols_(symbols), boundaries_(std::move(boundaries)) {
  HugePageVector<uint32_t> ranks;
  HugePageVector<Kind> kinds;
  ranks.reserve(pieces.size());
  kinds.reserve(pieces.size());
  for (const SentencePiece& piece : pieces) {
    ranks.push_back(RankOf(piece.score));
    kinds.push_back(piece.IsReserved() ? Kind::kReserved
                    : piece.IsFound()  ? Kind::kPiece
                                       : Kind::kUnused);
    has_unused_ |= kinds.back() == Kind::kUnused;
  }
  ranks_ = Table<uint32_t>(std::move(ranks));
  kinds_ = Table<Kind>(std::move(kinds));
  // How an unused piece is taken apart depends on the whole text.
  if (has_unused_) boundaries_ = PieceBoundaries();
}

MergeSegmenter::MergeSegmenter(TableReader& from, const Vocabulary& tokens,
                               const UserDefinedSymbols& symbols)
    : tokens_(tokens),
      symbols_(symbols),
      boundaries_(PieceBoundaries::Load(from)),
      ranks_(from.TakeTable<uint32_t>()),
      kinds_(from.TakeTable<Kind>()),
      has_unused_(from.Number() != 0) {
  from.Expect(ranks_.size() == tokens.size() && kinds_.size() == tokens.size());
}

void MergeSegmenter::Save(TableWriter& to) const {
  to.PutNumber(static_cast<uint64_t>(Segmenter::Kind::kBpe));
  boundaries_.Save(to);
  to.PutTable(ranks_);
  to.PutTable(kinds_);
  to.PutNumber(has_unused_);
}

std::unique_ptr<Segmenter::Scratch> MergeSegmenter::NewScratch() const {
  return std::make_unique<OwnScratch>(known_);
}

void MergeSegmenter::Segment(std::string_view text, Scratch& scratch,
                             PieceSink& sink) const {
  auto& own = static_cast<OwnScratch&>(scratch);
  using Unknown = PartIds::Unknown;
  const auto quick = sink.IsToldOfUnknown() ? Unknown::kNone : Unknown::kAlone;
  PartReader reader(text, boundaries_, known_, own.reader);
  for (auto parts = reader.Next(); !parts.empty(); parts = reader.Next()) {
    for (const PartReader::Part& part : parts) {
      if (has_unused_ || part.set == nullptr) {
        SegmentLongPart(part.text, own, sink);
        continue;
      }
      const PartIds* known = PartCache::Find(part.set, part.key);
      if (known != nullptr && known->unknown <= quick) {
        sink.PutSome(known->ids, known->count,
                     known->unknown == Unknown::kAlone);
        continue;
      }
      // Leaves the ids to remember, none if there is no piece for some of it.
      SegmentPart(part.text, /*dropout=*/nullptr, own, sink);
      if (known != nullptr) continue;
      PartEntry::Content added = {part.key, {}};
      size_t count = own.ids.size();
      if (own.IsUnknownAlone()) {
        added.ids.unknown = Unknown::kAlone;
        count = sink.IdsOfUnknown(part.text, added.ids.ids);
      } else if (count > 0 && count <= PartIds::kMost) {
        std::copy(own.ids.begin(), own.ids.end(), added.ids.ids);
      } else {
        continue;
      }
      added.ids.count = static_cast<uint8_t>(count);
      known_.parts.Insert(own.parts_inserter, part.set, added);
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
  PartCutter cutter(text, boundaries_);
  while (!cutter.AtEnd()) SegmentPart(cutter.Next(), &dropout, own, sink);
  return OkStatus();
}

void MergeSegmenter::SegmentLongPart(std::string_view part, OwnScratch& scratch,
                                     PieceSink& sink) const {
  if (has_unused_ || part.size() > LongPieces::kMaxPieceBytes) {
    return SegmentPart(part, /*dropout=*/nullptr, scratch, sink);
  }
  const uint64_t hash = LongPieces::HashOf(part);
  if (const auto known = known_.long_parts.Find(part, hash)) {
    for (const TokenId id : *known) sink.Put(id);
    return;
  }
  SegmentPart(part, /*dropout=*/nullptr, scratch, sink);
  if (scratch.ids.empty()) return;
  known_.long_parts.Insert(scratch.long_inserter, part, hash, scratch.ids);
}

void MergeSegmenter::SegmentPart(std::string_view part, const Dropout* dropout,
                                 OwnScratch& scratch, PieceSink& sink) const {
  MergeOrder& merges = scratch.merges;
  const std::vector<Symbol>& symbols = scratch.symbols;
  scratch.left_sizes.clear();
  Split(part, scratch);
  merges.Reset(symbols.size());
  for (uint32_t i = 0; i + 1 < symbols.size(); ++i) {
    merges.Put(i, Offer(part, i, scratch));
  }
  merges.Order();
  while (!merges.empty()) {
    const uint32_t left = merges.first();
    if (dropout != nullptr && dropout->draws.Next() < dropout->rate) {
      merges.Change(left, MergeOrder::kNothing);
      continue;
    }
    merges.Change(symbols[left].after, MergeOrder::kNothing);
    Apply(left, scratch);
    const uint32_t before = symbols[left].before;
    if (before != kNone) merges.Change(before, Offer(part, before, scratch));
    merges.Change(left, Offer(part, left, scratch));
  }

  scratch.ids.clear();
  bool all_known = true;
  for (uint32_t i = 0; i != kNone; i = symbols[i].after) {
    const Symbol& symbol = symbols[i];
    const std::string_view text = part.substr(symbol.begin, symbol.size);
    if (symbol.id == kNoToken) {
      sink.PutUnknown(text);
      all_known = false;
    } else if (kinds_[symbol.id] == Kind::kUnused) {
      TakeApart(text, scratch, sink);
    } else {
      sink.Put(symbol.id);
      scratch.ids.push_back(symbol.id);
    }
  }
  if (!all_known) scratch.ids.clear();
  scratch.GiveBackLongPart();
}

void MergeSegmenter::Split(std::string_view part, OwnScratch& scratch) const {
  std::vector<Symbol>& symbols = scratch.symbols;
  symbols.clear();
  if (part.size() > symbols.capacity()) symbols.reserve(part.size());
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
    const std::string_view text(p, size);
    const TokenId id = is_user_defined ? Find(text)
                                       : scratch.memory.PieceOf(
                                             text, [&] { return Find(text); });
    symbols.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(size),
                       i - 1,  // of the first: kNone
                       i + 1, id, !is_user_defined, kNoToken});
    at += size;
  }
  symbols.back().after = kNone;
}

uint64_t MergeSegmenter::Offer(std::string_view part, uint32_t left,
                               OwnScratch& scratch) const {
  Symbol& l = scratch.symbols[left];
  if (l.after == kNone) return MergeOrder::kNothing;
  const Symbol& r = scratch.symbols[l.after];
  if (!l.merges || !r.merges) return MergeOrder::kNothing;
  const TokenId id = scratch.memory.MergedOf(
      l.id, r.id, [&] { return Find(part.substr(l.begin, l.size + r.size)); });
  if (id == kNoToken) return MergeOrder::kNothing;
  l.merged_id = id;
  if (kinds_[id] == Kind::kUnused) scratch.left_sizes[id] = l.size;
  return uint64_t{ranks_[id]} << 32 | left;
}

void MergeSegmenter::Apply(uint32_t left, OwnScratch& scratch) const {
  Symbol& l = scratch.symbols[left];
  Symbol& r = scratch.symbols[l.after];
  l.size += r.size;
  l.id = l.merged_id;
  l.after = r.after;
  if (r.after != kNone) scratch.symbols[r.after].before = left;
}

void MergeSegmenter::TakeApart(std::string_view text, OwnScratch& scratch,
                               PieceSink& sink) const {
  auto& parts = scratch.parts;
  parts.assign(1, {text, 0});
  while (!parts.empty()) {
    const auto [part, depth] = parts.back();
    parts.pop_back();
    const TokenId id = Find(part);
    if (id == kNoToken) {
      sink.PutUnknown(part);
      continue;
    }
    if (kinds_[id] != Kind::kUnused || depth > kMaxDepth) {
      sink.Put(id);
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
