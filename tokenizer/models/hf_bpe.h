// BPE over characters, with all that Hugging Face tokenizers put around it:
// affixes, unknown tokens, byte fallback.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tokenizer/bpe/bpe.h"
#include "tokenizer/bpe/bpe_dropout.h"
#include "tokenizer/bpe/piece_sink.h"
#include "tokenizer/interface/thread_slots.h"
#include "tokenizer/models/token_model.h"
#include "tokenizer/pieces/part_cache.h"
#include "tokenizer/pieces/part_reader.h"
#include "tokenizer/vocabulary/piece_boundaries.h"

namespace penstock {

struct HfBpeOptions {
  std::optional<std::string> unknown_token;
  // Put before every character of a piece but the first.
  std::string continuing_prefix;
  // Put behind the last character of a piece.
  std::string word_suffix;
  // Neighbouring unknown characters are one token.
  bool fuse_unknown = false;
  // A character without a token becomes the tokens <0x00> ... <0xFF> of its
  // bytes, if the vocabulary has all those it needs.
  bool byte_fallback = false;
  // A piece that is a token is that token, even if no merges lead to it.
  bool whole_pieces_first = false;
  // What EncodeSampled leaves out by default.
  std::optional<double> dropout;
};

// Only listed pairs merge. Without an unknown token, characters that have no
// token are dropped in silence, as the reference does.
//
// Many files cut no words: a piece is all of a text. Where no merge crosses
// from one character to the next a long piece is cut, and the parts' ids are
// remembered, for all threads: at most 164.5 MiB.
//
// Cost:    n log n in a part's characters; nearly nothing for one seen before.
class HfBpe final : public TokenModel {
 public:
  // `merges_fingerprint` is a hash of `merges`.
  HfBpe(Vocabulary vocabulary, MergeTable merges, uint64_t merges_fingerprint,
        HfBpeOptions options);
  ~HfBpe() override;
  static std::unique_ptr<const HfBpe> Load(TableReader& from,
                                           HfBpeOptions options);

  Status Encode(std::string_view piece, std::vector<TokenId>& ids,
                std::vector<TokenSpan>* spans) const override;

  bool EncodesBetween() const override { return !options_.whole_pieces_first; }
  Status EncodeBetween(std::string_view text,
                       std::span<const PlacedToken> tokens,
                       std::vector<TokenId>& ids) const override;

  bool StayApart(uint32_t before, uint32_t after) const override {
    return !options_.whole_pieces_first && boundaries_.Cuts(before, after);
  }

  void ForgetTexts() const override;

  StatusOr<double> AlphaOf(const Sampling& sampling) const override {
    return DropoutRate(sampling, options_.dropout);
  }
  Status EncodeSampled(std::string_view piece, const Drawing& drawing,
                       std::vector<TokenId>& ids) const override;

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string_view name() const override { return "BPE"; }
  uint64_t Fingerprint() const override;
  void Save(TableWriter& to) const override;

 private:
  using Symbol = BpeSymbol;
  struct Scratch;
  class WaitingTokens;

  HfBpe(Vocabulary vocabulary, MergeTable merges, uint64_t merges_fingerprint,
        HfBpeOptions options, PieceBoundaries boundaries);

  PieceBoundaries BoundariesOf() const;
  // Whether parts of a piece have the tokens that they would have alone, if no
  // merge crosses from one to the next.
  bool PartsAreAlone() const;
  Status EncodeParts(std::string_view piece, std::vector<TokenId>& ids) const;
  Status EncodeParts(std::string_view text, std::span<const PlacedToken> tokens,
                     Scratch& scratch, std::vector<TokenId>& ids) const;
  Status EncodeSome(std::span<const PartReader::Part> parts,
                    WaitingTokens& waiting, Scratch& scratch,
                    PieceSink& sink) const;
  Status EncodeLongPart(std::string_view part, Scratch& scratch,
                        PieceSink& sink) const;
  // Leaves the ids in `scratch`, too.
  Status EncodeNewPart(std::string_view part, Scratch& scratch,
                       PieceSink& sink) const;
  Status MergedSymbolsOf(std::string_view piece,
                         std::vector<Symbol>& symbols) const;
  Status SymbolsOf(std::string_view piece, std::vector<Symbol>& symbols) const;
  std::optional<TokenId> FindChar(std::string_view c, bool first,
                                  bool last) const;
  bool AppendBytes(std::string_view c, bool first, bool last,
                   std::vector<Symbol>& symbols) const;
  std::string Spell(std::string_view c, bool first, bool last) const;
  void MergeFew(std::vector<Symbol>& symbols) const;

  const Vocabulary vocabulary_;
  const MergeTable merges_;
  const uint64_t merges_fingerprint_;
  const HfBpeOptions options_;
  std::optional<TokenId> unknown_;
  std::array<std::optional<TokenId>, 256> byte_tokens_;
  // [1: first of a piece | 2: last][character]; kNoToken: it has none.
  static constexpr size_t kAscii = 128;
  std::array<std::array<TokenId, kAscii>, 4> ascii_ids_;
  PieceBoundaries boundaries_;  // cut nothing unless PartsAreAlone
  mutable SharedParts known_;
  mutable ThreadSlots<Scratch> scratches_;
};

}  // namespace penstock
