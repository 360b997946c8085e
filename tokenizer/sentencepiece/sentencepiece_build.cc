// What SentencePieceTokenizer::Parse makes of a model.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
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
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/vocabulary/piece_boundaries.h"
#include "tokenizer/vocabulary/piece_trie.h"

namespace penstock {
namespace {

using Piece = SentencePiece;
using Type = SentencePieceModel::Type;
using PieceList = std::vector<std::pair<std::string_view, TokenId>>;

template <typename Predicate>
PieceList PiecesThat(const SentencePieceModel& model, Predicate predicate) {
  PieceList list;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    if (predicate(model.pieces[id])) {
      list.emplace_back(model.pieces[id].text, static_cast<TokenId>(id));
    }
  }
  return list;
}

StatusOr<Charsmap> CharsmapOf(const SentencePieceNormalization& spec) {
  if (spec.charsmap.empty()) return Charsmap();
  return Charsmap::Parse(spec.charsmap);
}

StatusOr<UserDefinedSymbols> SymbolsOf(const SentencePieceModel& model) {
  PieceList list = PiecesThat(model, [](const Piece& piece) {
    return piece.type == Piece::Type::kUserDefined;
  });
  std::array<bool, 256> leads = {};
  for (const auto& [text, id] : list) {
    leads[static_cast<unsigned char>(text[0])] = true;
  }
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, PieceTrie::Build(std::move(list)));
  return UserDefinedSymbols(std::move(trie), leads);
}

// Parts of text can be told apart only in UTF-8.
PieceBoundaries BoundariesOf(const PieceList& list, bool normalizes_to_utf8) {
  if (!normalizes_to_utf8) return PieceBoundaries();
  std::vector<std::string_view> texts;
  for (const auto& [text, id] : list) {
    if (!IsUtf8(text)) return PieceBoundaries();
    texts.push_back(text);
  }
  return PieceBoundaries(texts);
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

// Stable, like Fingerprinter, and eight times as fast on long bytes.
uint64_t HashOfCharsmap(std::string_view bytes) {
  uint64_t hash = bytes.size();
  for (size_t at = 0; at < bytes.size(); at += 8) {
    uint64_t word = 0;
    for (size_t i = 0; i < 8 && at + i < bytes.size(); ++i) {
      word |= uint64_t{static_cast<uint8_t>(bytes[at + i])} << 8 * i;
    }
    hash = (hash ^ word) * 0x9fb21c651e98df25;
    hash ^= hash >> 29;
  }
  return hash;
}

uint64_t FingerprintOf(const SentencePieceModel& model, UnigramRules rules) {
  Fingerprinter fingerprint;
  fingerprint.Add("sentencepiece")
      .Add(static_cast<uint64_t>(model.type))
      .Add(model.whitespace_is_suffix)
      .Add(model.byte_fallback)
      .Add(FlagsOf(model.normalization))
      .Add(HashOfCharsmap(model.normalization.charsmap));
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
  // Merges may pass through unused pieces.
  const bool with_unused = model.type == Type::kBpe;
  PieceList list = PiecesThat(model, [&](const Piece& piece) {
    return piece.IsFound() || (with_unused && !piece.IsReserved());
  });
  PieceBoundaries boundaries = BoundariesOf(list, normalizer_->GivesUtf8());
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, PieceTrie::Build(std::move(list)));
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
      segmenter_ = std::make_unique<MergeSegmenter>(
          model.pieces, std::move(trie), std::move(boundaries), symbols_);
      break;
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
  tokens_.Reserve(model.pieces.size());
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
  std::string surface;
  HugePageVector<Writing> writings;
  writings.reserve(model.pieces.size());
  for (size_t i = 0; i < model.pieces.size(); ++i) {
    const Piece& piece = model.pieces[i];
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
    writing.begins_with_space = piece.text.starts_with(kSpaceSymbol);
    surface.clear();
    std::string_view rest = piece.text;
    for (size_t at; (at = rest.find(kSpaceSymbol)) != rest.npos;) {
      surface.append(rest.substr(0, at)).push_back(' ');
      rest.remove_prefix(at + kSpaceSymbol.size());
    }
    surface.append(rest);
    surfaces_.AddForDecoding(static_cast<TokenId>(i), surface);
  }
  writings_ = Table<Writing>(std::move(writings));
  unknown_surface_ = model.unknown_surface;
  const SentencePieceNormalization& spec = model.normalization;
  drops_all_first_spaces_ = spec.remove_extra_whitespaces;
  drops_first_space_ = spec.add_dummy_prefix;
}

}  // namespace penstock
