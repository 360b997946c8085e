// SentencePiece's models that only look up: words and characters.
#pragma once

#include <memory>
#include <string_view>

#include "tokenizer/piece_trie.h"
#include "tokenizer/segmenter.h"
#include "tokenizer/user_defined_symbols.h"

namespace penstock {

// A word begins at each U+2581. User-defined symbols are words like others.
class WordSegmenter final : public Segmenter {
 public:
  // `trie` holds the pieces that are found in text.
  explicit WordSegmenter(PieceTrie trie);

  std::unique_ptr<Scratch> NewScratch() const override;
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

  std::unique_ptr<Scratch> NewScratch() const override;
  void Segment(std::string_view text, Scratch& scratch,
               PieceSink& sink) const override;

 private:
  const PieceTrie trie_;
  const UserDefinedSymbols& symbols_;
};

}  // namespace penstock
