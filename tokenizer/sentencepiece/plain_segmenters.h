// SentencePiece's models that only look up: words and characters.
#pragma once

#include <string_view>

#include "tokenizer/sentencepiece/segmenter.h"
#include "tokenizer/sentencepiece/user_defined_symbols.h"
#include "tokenizer/vocabulary/piece_trie.h"

namespace penstock {

// A word begins at each U+2581. User-defined symbols are words like others.
class WordSegmenter final : public Segmenter {
 public:
  // `trie` holds the pieces that are found in text.
  explicit WordSegmenter(PieceTrie trie);
  explicit WordSegmenter(TableReader& from);
  void Save(TableWriter& to) const override;

  void Segment(std::string_view text, Scratch& scratch,
               PieceSink& sink) const override;

 private:
  const PieceTrie trie_;
};

// The longest user-defined symbol, else a character.
class CharSegmenter final : public Segmenter {
 public:
  // `symbols` must outlive this.
  CharSegmenter(PieceTrie trie, const UserDefinedSymbols& symbols);
  CharSegmenter(TableReader& from, const UserDefinedSymbols& symbols);
  void Save(TableWriter& to) const override;

  void Segment(std::string_view text, Scratch& scratch,
               PieceSink& sink) const override;

 private:
  const PieceTrie trie_;
  const UserDefinedSymbols& symbols_;
};

}  // namespace penstock
