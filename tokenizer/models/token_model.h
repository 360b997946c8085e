// Turns one piece of text into tokens: the model of a tokenizer.json.
//
// Implementations form a star around this header: wordpiece, word_level,
// hf_unigram, hf_bpe.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/sampling.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/draws.h"
#include "tokenizer/vocabulary/part_cutter.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Bytes [begin, end) of a piece.
struct TokenSpan {
  uint32_t begin, end;
};

// Threads: any number at a time.
class TokenModel {
 public:
  virtual ~TokenModel() = default;

  // Appends the tokens of `piece`, not empty and valid UTF-8, to `ids`, and
  // where in the piece they stand to `spans` unless it is null.
  // Errors:  kInvalidArgument for text that has no tokens, where the model has
  //          no unknown token either.
  virtual Status Encode(std::string_view piece, std::vector<TokenId>& ids,
                        std::vector<TokenSpan>* spans) const = 0;

  // Whether there is an EncodeBetween, which is faster than piece by piece.
  virtual bool EncodesBetween() const { return false; }
  // Appends the tokens of the pieces into which `tokens`, in order of their
  // places, cut `text`, and these where they stand between them. `text` is
  // valid UTF-8 with TextBuffer::kSlack bytes after it.
  // Errors:  those of Encode.
  virtual Status EncodeBetween(std::string_view text,
                               std::span<const PlacedToken> tokens,
                               std::vector<TokenId>& ids) const;

  // The alpha of a Drawing for EncodeSampled; 0: draws nothing, is Encode.
  // Errors:  kInvalidArgument; kUnimplemented for a model with one way to
  //          segment a piece.
  virtual StatusOr<double> AlphaOf(const Sampling& sampling) const;
  // Encode, drawing one way, if the model has an AlphaOf.
  // Errors:  those of Encode.
  virtual Status EncodeSampled(std::string_view piece, const Drawing& drawing,
                               std::vector<TokenId>& ids) const;

  // Whether the tokens of a piece are those of two: one that ends with
  // `before`, and what begins behind it with `after`.
  virtual bool StayApart(uint32_t /*before*/, uint32_t /*after*/) const {
    return false;
  }

  // Gives back what was remembered of texts. Waits until no thread encodes.
  virtual void ForgetTexts() const {}

  // The id whose tokens have the text they stand for as their text; nullopt:
  // the texts of all are what the vocabulary spells.
  virtual std::optional<TokenId> unknown_as_text() const {
    return std::nullopt;
  }

  // By the tokens' spelling in the file.
  virtual const Vocabulary& vocabulary() const = 0;

  // "WordPiece".
  virtual std::string_view name() const = 0;
  // A hash of all that decides ids beside the vocabulary.
  virtual uint64_t Fingerprint() const = 0;

  // What the Load of its class makes a model of again, with the same options,
  // that looks where `from` does.
  virtual void Save(TableWriter& to) const = 0;
};

}  // namespace penstock
