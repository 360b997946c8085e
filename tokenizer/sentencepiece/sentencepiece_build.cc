// What SentencePieceTokenizer::Parse makes of a model.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "formats/files/quoted.h"
#include "formats/files/status_or.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/sentencepiece/merge_segmenter.h"
#include "tokenizer/sentencepiece/plain_segmenters.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"
#include "tokenizer/sentencepiece/unigram_segmenter.h"
#include "tokenizer/vocabulary/piece_boundaries.h"
#include "tokenizer/vocabulary/piece_trie_builder.h"

namespace penstock {
namespace {

using Piece = SentencePiece;
using Type = SentencePieceModel::Type;

size_t BytesOf(std::span<const Piece> pieces) {
  size_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.text.size();
  return bytes;
}

StatusOr<Charsmap> CharsmapOf(const SentencePieceNormalization& spec) {
  if (spec.charsmap.empty()) return Charsmap();
  return Charsmap::Parse(spec.charsmap);
}

StatusOr<UserDefinedSymbols> SymbolsOf(const SentencePieceModel& model) {
  PieceTrieBuilder symbols;
  std::array<bool, 256> leads = {};
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.type != Piece::Type::kUserDefined) continue;
    symbols.Add(piece.text, static_cast<TokenId>(id));
    leads[static_cast<unsigned char>(piece.text[0])] = true;
  }
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, symbols.Build());
  return UserDefinedSymbols(std::move(trie), leads);
}

// What text is segmented into. Merges may pass through unused pieces.
bool IsOfSegments(const Piece& piece, Type type) {
  return piece.IsFound() || (type == Type::kBpe && !piece.IsReserved());
}

// Parts of text can be told apart only in UTF-8.
PieceBoundaries BoundariesOf(const SentencePieceModel& model,
                             bool normalizes_to_utf8) {
  if (!normalizes_to_utf8) return PieceBoundaries();
  std::vector<std::string_view> pieces;
  pieces.reserve(model.pieces.size());
  for (const Piece& piece : model.pieces) {
    if (IsOfSegments(piece, model.type)) pieces.push_back(piece.text);
  }
  return PieceBoundaries::Of(pieces);
}

std::string_view NameOf(Type type) {
  switch (type) {
    case Type::kUnigram:
      return "unigram";
    case Type::kBpe:
      return "BPE";
    case Type::kWord:
      return "word";
    case Type::kChar:
      return "character";
  }
  return "";
}

uint64_t FlagsOf(const SentencePieceNormalization& spec) {
  return spec.add_dummy_prefix | spec.remove_extra_whitespaces << 1 |
         spec.escape_whitespaces << 2;
}

uint64_t FingerprintOf(const SentencePieceModel& model, UnigramRules rules) {
  Fingerprinter fingerprint;
  fingerprint.Add("sentencepiece")
      .Add(static_cast<uint64_t>(model.type))
      .Add(model.whitespace_is_suffix)
      .Add(model.byte_fallback)
      .Add(FlagsOf(model.normalization))
      .AddLong(model.normalization.charsmap);
  if (model.type == Type::kUnigram) {
    fingerprint.Add(static_cast<uint64_t>(rules));
  }
  for (const Piece& piece : model.pieces) {
    fingerprint.Add(piece.text)
        .Add(uint64_t{std::bit_cast<uint32_t>(piece.score)} << 8 |
             static_cast<uint64_t>(piece.type));
  }
  return fingerprint.Finish();
}

std::string KindOf(const SentencePieceModel& model) {
  return fmt::format(
      "SentencePiece {}, {} ids, {}{}", NameOf(model.type), model.pieces.size(),
      model.normalization.name.empty()
          ? std::string("no named normalization")
          : fmt::format("normalization {}", model.normalization.name),
      model.byte_fallback ? ", byte fallback" : "");
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> SentencePieceTokenizer::Parse(
    std::string_view bytes, const std::string& name, UnigramRules rules) {
  PENSTOCK_ASSIGN_OR_RETURN(const SentencePieceModel model,
                            ParseSentencePieceModel(bytes, name));
  // Not make_shared: the constructor is private.
  std::shared_ptr<SentencePieceTokenizer> tokenizer(
      new SentencePieceTokenizer());
  if (Status status = tokenizer->Build(model, rules); !status.ok()) {
    return Annotate(status, name);
  }
  tokenizer->kind_ = KindOf(model);
  tokenizer->name_ = name;
  return tokenizer;
}

Status SentencePieceTokenizer::Build(const SentencePieceModel& model,
                                     UnigramRules rules) {
  if (model.pieces.size() > size_t{kMaxTokenId} + 1) {
    return ResourceExhaustedError(
        fmt::format("the vocabulary has {} pieces; up to {} are supported",
                    model.pieces.size(), size_t{kMaxTokenId} + 1));
  }
  // First: the tries take no piece twice.
  PENSTOCK_RETURN_IF_ERROR(BuildVocabulary(model));
  PENSTOCK_ASSIGN_OR_RETURN(symbols_, SymbolsOf(model));
  PENSTOCK_ASSIGN_OR_RETURN(Charsmap charsmap, CharsmapOf(model.normalization));
  normalizer_ = std::make_unique<SentencePieceNormalizer>(
      model.normalization, std::move(charsmap), model.whitespace_is_suffix,
      symbols_);
  if (!model.denormalization.charsmap.empty()) {
    PENSTOCK_ASSIGN_OR_RETURN(Charsmap back, CharsmapOf(model.denormalization));
    denormalizer_ = std::make_unique<SentencePieceNormalizer>(
        model.denormalization, std::move(back),
        /*whitespace_is_suffix=*/false, NoSymbols());
  }
  PENSTOCK_RETURN_IF_ERROR(BuildSegmenter(model, rules));
  BuildWritings(model);
  fingerprint_ = FingerprintOf(model, rules);
  return OkStatus();
}

Status SentencePieceTokenizer::BuildSegmenter(const SentencePieceModel& model,
                                              UnigramRules rules) {
  PieceBoundaries boundaries = BoundariesOf(model, normalizer_->GivesUtf8());
  if (model.type == Type::kBpe) {
    segmenter_ = std::make_unique<MergeSegmenter>(
        model.pieces, std::move(boundaries), tokens_, symbols_);
    return OkStatus();
  }
  PieceTrieBuilder pieces;
  pieces.Reserve(model.pieces.size());
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const Piece& piece = model.pieces[id];
    if (piece.IsFound()) pieces.Add(piece.text, static_cast<TokenId>(id));
  }
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, pieces.Build());
  switch (model.type) {
    case Type::kUnigram:
      if (rules == UnigramRules::kSince022) {
        segmenter_ = std::make_unique<UnigramSegmenter<float>>(
            model.pieces, std::move(trie), std::move(boundaries));
      } else {
        segmenter_ = std::make_unique<UnigramSegmenter<double>>(
            model.pieces, std::move(trie), std::move(boundaries));
      }
      break;
    case Type::kBpe:
      break;  // has none
    case Type::kWord:
      segmenter_ = std::make_unique<WordSegmenter>(std::move(trie));
      break;
    case Type::kChar:
      segmenter_ = std::make_unique<CharSegmenter>(std::move(trie), symbols_);
      break;
  }
  return OkStatus();
}

Status SentencePieceTokenizer::BuildVocabulary(
    const SentencePieceModel& model) {
  std::vector<SpecialToken> controls;
  // Not reserved, with the text of a reserved one.
  std::unordered_map<std::string_view, TokenId> shadowed;
  tokens_.Reserve(model.pieces.size(), BytesOf(model.pieces));
  for (const bool reserved : {true, false}) {
    for (size_t i = 0; i < model.pieces.size(); ++i) {
      const Piece& piece = model.pieces[i];
      if (piece.IsReserved() != reserved) continue;
      const auto id = static_cast<TokenId>(i);
      if (tokens_.Add(id, piece.text) != Vocabulary::Added::kYes) {
        // BPE has one name space; the others keep reserved pieces apart.
        TokenId other = *tokens_.Find(piece.text);
        bool again = model.type == Type::kBpe ||
                     model.pieces[other].IsReserved() == reserved;
        if (!again) {
          const auto [place, is_new] = shadowed.try_emplace(piece.text, id);
          other = place->second;
          again = !is_new;
        }
        if (again) {
          return DataLossError(fmt::format(
              "piece {} ({}) is piece {} again", std::max(id, other),
              Quoted(piece.text), std::min(id, other)));
        }
        tokens_.AddForDecoding(id, piece.text);
      }
      if (piece.type == Piece::Type::kControl) {
        controls.push_back({std::string(piece.text), id});
      }
      if (piece.type == Piece::Type::kUnknown) unknown_rule_.id = id;
      if (piece.type == Piece::Type::kByte) {
        unknown_rule_.byte_ids[ByteOfPiece(piece.text)] = id;
      }
    }
  }
  unknown_rule_.as_bytes = model.byte_fallback;
  controls_ = SpecialTokens(std::move(controls));
  return OkStatus();
}

void SentencePieceTokenizer::BuildWritings(const SentencePieceModel& model) {
  constexpr size_t kMostSpaces = 255;
  HugePageVector<Writing> writings;
  writings.reserve(model.pieces.size());
  for (const Piece& piece : model.pieces) {
    Writing& writing = writings.emplace_back();
    switch (piece.type) {
      case Piece::Type::kControl:
        writing.kind = Writing::Kind::kNothing;
        continue;
      case Piece::Type::kUnknown:
        writing.kind = Writing::Kind::kUnknown;
        continue;
      case Piece::Type::kByte:
        writing.kind = Writing::Kind::kByte;
        writing.byte = static_cast<uint8_t>(ByteOfPiece(piece.text));
        continue;
      default:
        break;
    }
    std::string_view rest = piece.text;
    while (rest.starts_with(kSpaceSymbol) && writing.spaces < kMostSpaces) {
      ++writing.spaces;
      rest.remove_prefix(kSpaceSymbol.size());
    }
    writing.has_more = rest.find(kSpaceSymbol) != rest.npos;
  }
  writings_ = Table<Writing>(std::move(writings));
  unknown_surface_ = model.unknown_surface;
  const SentencePieceNormalization& spec = model.normalization;
  drops_all_first_spaces_ = spec.remove_extra_whitespaces;
  drops_first_space_ = spec.add_dummy_prefix;
}

}  // namespace penstock
