// Unigram as Hugging Face tokenizers compute it: the tokens whose scores have
// the largest sum.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tokenizer/models/token_model.h"
#include "tokenizer/vocabulary/piece_trie.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

struct HfUnigramOptions {
  // Its score is 10 below the lowest of all. Neighbours become one.
  std::optional<TokenId> unknown;
  // Unknown text becomes the tokens <0x00> ... <0xFF> of its bytes, if the
  // vocabulary has all those it needs.
  bool byte_fallback = false;
};

// Sums are doubles and a later path must be strictly better, as in the
// reference; sentencepiece itself rounds sums to float, so that the two differ
// where paths are all but equal.
//
// Cost:    n * longest token; text is looked at once, forwards. Memory: two
//          bytes for each of the text, four where a token has 32 KiB or more.
class HfUnigram final : public TokenModel {
 public:
  // `scores` by id.
  // Errors:  kResourceExhausted for a vocabulary that PieceTrie does not hold.
  static StatusOr<std::unique_ptr<const HfUnigram>> Make(
      Vocabulary vocabulary, std::vector<double> scores,
      HfUnigramOptions options);
  static std::unique_ptr<const HfUnigram> Load(TableReader& from,
                                               HfUnigramOptions options);

  Status Encode(std::string_view piece, std::vector<TokenId>& ids,
                std::vector<TokenSpan>* spans) const override;

  // Draws as the reference's model does that has an `alpha` and, perhaps, a
  // `nbest_size`. Memory: see unigram_lattice.h.
  StatusOr<double> AlphaOf(const Sampling& sampling) const override;
  Status EncodeSampled(std::string_view piece, const Drawing& drawing,
                       std::vector<TokenId>& ids) const override;

  std::optional<TokenId> unknown_as_text() const override {
    return options_.unknown;
  }

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string_view name() const override { return "Unigram"; }
  uint64_t Fingerprint() const override;
  void Save(TableWriter& to) const override;

 private:
  // What is found out by a look at every token.
  struct Facts {
    double unknown_score = 0;
    size_t longest = 4;  // bytes of a token, or of an unknown character
  };

  HfUnigram(Vocabulary vocabulary, Table<double> scores,
            HfUnigramOptions options, PieceTrie trie, Facts facts);

  static Facts FactsOf(const Vocabulary& vocabulary,
                       const std::vector<double>& scores);

  // Length holds that of the longest token.
  template <typename Length>
  struct Path {
    // How long the token is that begins at each place of the path, with the
    // highest bit set where it is the unknown one. Zeros at first.
    std::span<Length> lengths;
    // That token, where it is not unknown; empty: nobody asks.
    std::span<TokenId> tokens;
    // Room for as many places as a token reaches over, a power of two.
    std::span<double> scores;
  };
  template <typename Length>
  Status FindBestPath(std::string_view piece, Path<Length> path) const;
  template <typename Length>
  Status EncodeAnyPiece(std::string_view piece, std::vector<TokenId>& ids,
                        std::vector<TokenSpan>* spans) const;
  Status EncodeShortPiece(std::string_view piece, std::vector<TokenId>& ids,
                          std::vector<TokenSpan>* spans) const;
  template <typename Length>
  Status AppendPath(std::string_view piece, const Path<Length>& path,
                    std::vector<TokenId>& ids,
                    std::vector<TokenSpan>* spans) const;
  // Of a path's tokens, neighbouring unknown ones being one.
  Status AppendToken(std::string_view piece, TokenSpan span,
                     std::vector<TokenId>& ids,
                     std::vector<TokenSpan>* spans) const;
  bool AppendBytes(std::string_view text, TokenSpan span,
                   std::vector<TokenId>& ids,
                   std::vector<TokenSpan>* spans) const;

  const Vocabulary vocabulary_;
  const Table<double> scores_;
  const HfUnigramOptions options_;
  const PieceTrie trie_;
  const Facts facts_;
  std::array<std::optional<TokenId>, 256> byte_tokens_;
};

}  // namespace penstock
