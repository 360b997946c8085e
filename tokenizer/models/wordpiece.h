// WordPiece: the longest token that a word begins with, then the longest that
// continues it, and so on; one unknown token where that fails.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "formats/files/status_or.h"
#include "tokenizer/models/token_model.h"
#include "tokenizer/vocabulary/piece_trie.h"

namespace penstock {

struct WordPieceOptions {
  std::string unknown_token = "[UNK]";
  // How tokens that continue a word are spelled.
  std::string continuing_prefix = "##";
  // Longer words, in characters, are unknown.
  size_t max_chars_per_word = 100;
};

// Cost:    linear in the word's bytes for most; words are short.
class WordPiece final : public TokenModel {
 public:
  // Errors:  kResourceExhausted for a vocabulary that PieceTrie does not hold.
  static StatusOr<std::unique_ptr<const WordPiece>> Make(
      Vocabulary vocabulary, WordPieceOptions options);
  static std::unique_ptr<const WordPiece> Load(TableReader& from,
                                               WordPieceOptions options);

  Status Encode(std::string_view piece, std::vector<TokenId>& ids,
                std::vector<TokenSpan>* spans) const override;

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  std::string_view name() const override { return "WordPiece"; }
  uint64_t Fingerprint() const override;
  void Save(TableWriter& to) const override;

 private:
  WordPiece(Vocabulary vocabulary, WordPieceOptions options, PieceTrie trie);

  bool EncodeKnown(std::string_view piece, std::vector<TokenId>& ids,
                   std::vector<TokenSpan>* spans) const;

  const Vocabulary vocabulary_;
  const WordPieceOptions options_;
  const PieceTrie trie_;
  PieceTrie::Node continuing_;  // where the prefix leads
  const std::optional<TokenId> unknown_;
};

}  // namespace penstock
