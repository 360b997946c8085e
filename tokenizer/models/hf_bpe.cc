#include "tokenizer/models/hf_bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/models/hf_bpe_scratch.h"
#include "tokenizer/pieces/piece_key.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// Up to here scanning for the best pair beats a heap.
constexpr size_t kFewSymbols = 32;
// Whoever calls remembers these; of longer ones, parts are remembered.
constexpr size_t kFewBytes = PieceKey::kMostBytes;

}  // namespace

HfBpe::HfBpe(Vocabulary vocabulary, MergeTable merges,
             uint64_t merges_fingerprint, HfBpeOptions options)
    : HfBpe(std::move(vocabulary), std::move(merges), merges_fingerprint,
            std::move(options), PieceBoundaries()) {
  boundaries_ = BoundariesOf();
}

HfBpe::~HfBpe() = default;

HfBpe::HfBpe(Vocabulary vocabulary, MergeTable merges,
             uint64_t merges_fingerprint, HfBpeOptions options,
             PieceBoundaries boundaries)
    : vocabulary_(std::move(vocabulary)),
      merges_(std::move(merges)),
      merges_fingerprint_(merges_fingerprint),
      options_(std::move(options)),
      boundaries_(std::move(boundaries)) {
  if (options_.unknown_token) {
    unknown_ = vocabulary_.Find(*options_.unknown_token);
  }
  for (int byte = 0; byte < 256; ++byte) {
    byte_tokens_[byte] = vocabulary_.Find(fmt::format("<0x{:02X}>", byte));
  }
  for (size_t c = 0; c < kAscii; ++c) {
    const char text = static_cast<char>(c);
    for (const size_t ends : {0, 1, 2, 3}) {
      const bool first = ends & 1, last = ends & 2;
      ascii_ids_[ends][c] =
          vocabulary_.Find(Spell({&text, 1}, first, last)).value_or(kNoToken);
    }
  }
}

std::unique_ptr<const HfBpe> HfBpe::Load(TableReader& from,
                                         HfBpeOptions options) {
  const uint64_t merges_fingerprint = from.Number();
  Vocabulary vocabulary = Vocabulary::Load(from);
  MergeTable merges = MergeTable::Load(from);
  PieceBoundaries boundaries = PieceBoundaries::Load(from);
  return std::unique_ptr<const HfBpe>(
      new HfBpe(std::move(vocabulary), std::move(merges), merges_fingerprint,
                std::move(options), std::move(boundaries)));
}

std::string HfBpe::Spell(std::string_view c, bool first, bool last) const {
  std::string spelled;
  if (!first) spelled = options_.continuing_prefix;
  spelled += c;
  if (last) spelled += options_.word_suffix;
  return spelled;
}

std::optional<TokenId> HfBpe::FindChar(std::string_view c, bool first,
                                       bool last) const {
  if (static_cast<unsigned char>(c[0]) < kAscii) {
    const TokenId id = ascii_ids_[size_t{first} | size_t{last} << 1][c[0]];
    return id == kNoToken ? std::nullopt : std::optional(id);
  }
  if ((first || options_.continuing_prefix.empty()) &&
      (!last || options_.word_suffix.empty())) {
    return vocabulary_.Find(c);
  }
  return vocabulary_.Find(Spell(c, first, last));
}

bool HfBpe::AppendBytes(std::string_view c, bool first, bool last,
                        std::vector<Symbol>& symbols) const {
  if (!options_.byte_fallback) return false;
  const std::string spelled = Spell(c, first, last);
  const auto token_of = [this](char byte) {
    return byte_tokens_[static_cast<unsigned char>(byte)];
  };
  if (!std::all_of(spelled.begin(), spelled.end(), token_of)) return false;
  for (const char byte : spelled) symbols.push_back({*token_of(byte), 1});
  return true;
}

Status HfBpe::SymbolsOf(std::string_view piece,
                        std::vector<Symbol>& symbols) const {
  uint32_t unknown_size = 0;  // of unknown text not yet appended
  const auto flush = [&] {
    if (unknown_size > 0) symbols.push_back({*unknown_, unknown_size});
    unknown_size = 0;
  };
  for (size_t pos = 0; pos < piece.size();) {
    const size_t size = Utf8Size(piece[pos]);
    const bool first = pos == 0;
    const bool last = pos + size == piece.size();
    const std::string_view c = piece.substr(pos, size);
    pos += size;
    if (const auto id = FindChar(c, first, last)) {
      flush();
      symbols.push_back({*id, static_cast<uint32_t>(size)});
      continue;
    }
    // Unknown text before stays behind these bytes, as in the reference.
    if (AppendBytes(c, first, last, symbols)) continue;
    if (!options_.unknown_token) continue;
    if (!unknown_) {
      return InvalidArgumentError(fmt::format(
          "a character is not in the vocabulary, and neither is the unknown "
          "token \"{}\"",
          *options_.unknown_token));
    }
    if (!options_.fuse_unknown) flush();
    unknown_size += static_cast<uint32_t>(size);
  }
  flush();
  return OkStatus();
}

Status HfBpe::Encode(std::string_view piece, std::vector<TokenId>& ids,
                     std::vector<TokenSpan>* spans) const {
  if (options_.whole_pieces_first) {
    if (const auto id = vocabulary_.Find(piece)) {
      ids.push_back(*id);
      if (spans) spans->push_back({0, static_cast<uint32_t>(piece.size())});
      return OkStatus();
    }
  }
  if (spans == nullptr && piece.size() > kFewBytes) {
    return EncodeParts(piece, ids);
  }
  std::vector<Symbol> symbols;
  PENSTOCK_RETURN_IF_ERROR(MergedSymbolsOf(piece, symbols));
  const auto size = static_cast<uint32_t>(piece.size());
  uint32_t begin = 0;
  for (const Symbol& symbol : symbols) {
    if (symbol.size == 0) continue;
    ids.push_back(symbol.id);
    // The bytes of an affix count, too, and may lead past the piece.
    if (spans) {
      spans->push_back(
          {std::min(begin, size - 1), std::min(begin + symbol.size, size)});
    }
    begin += symbol.size;
  }
  return OkStatus();
}

Status HfBpe::MergedSymbolsOf(std::string_view piece,
                              std::vector<Symbol>& symbols) const {
  symbols.reserve(piece.size());
  PENSTOCK_RETURN_IF_ERROR(SymbolsOf(piece, symbols));
  if (symbols.size() <= kFewSymbols) {
    MergeFew(symbols);
  } else {
    MergeByHeap(merges_, nullptr, symbols);
  }
  return OkStatus();
}

void HfBpe::MergeFew(std::vector<Symbol>& symbols) const {
  std::array<Merge, kFewSymbols> merges;  // [i]: of symbols i and i + 1
  const auto look = [&](size_t i) {
    merges[i] = i + 1 < symbols.size()
                    ? merges_.Find(symbols[i].id, symbols[i + 1].id)
                    : Merge{};
  };
  for (size_t i = 0; i < symbols.size(); ++i) look(i);
  while (symbols.size() > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < symbols.size(); ++i) {
      if (merges[i].rank < merges[best].rank) best = i;
    }
    if (merges[best].rank == Merge::kNever) break;
    symbols[best].id = merges[best].merged;
    symbols[best].size += symbols[best + 1].size;
    symbols.erase(symbols.begin() + best + 1);
    std::copy(merges.begin() + best + 2, merges.end(),
              merges.begin() + best + 1);
    look(best);
    if (best > 0) look(best - 1);
  }
}

Status HfBpe::EncodeSampled(std::string_view piece, const Drawing& drawing,
                            std::vector<TokenId>& ids) const {
  std::vector<Symbol> symbols;
  PENSTOCK_RETURN_IF_ERROR(SymbolsOf(piece, symbols));
  const Dropout dropout = {drawing.alpha, drawing.draws};
  MergeByHeap(merges_, &dropout, symbols);
  AppendIds(symbols, ids);
  return OkStatus();
}

uint64_t HfBpe::Fingerprint() const {
  Fingerprinter print;
  print.Add(merges_fingerprint_);
  print.Add(uint64_t{options_.unknown_token.has_value()});
  print.Add(options_.unknown_token.value_or(""));
  print.Add(options_.continuing_prefix).Add(options_.word_suffix);
  print.Add(uint64_t{options_.fuse_unknown} | options_.byte_fallback << 1 |
            options_.whole_pieces_first << 2);
  return print.Finish();
}

void HfBpe::Save(TableWriter& to) const {
  to.PutNumber(merges_fingerprint_);
  vocabulary_.Save(to);
  merges_.Save(to);
  boundaries_.Save(to);
}

}  // namespace penstock
