// The decoders that look at a part as a whole.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "tokenizer/decoders/token_decoder.h"

namespace penstock {

// Joins tokens that have the prefix to what is before them and puts a space
// before the others. `cleanup` drops the spaces that English has not.
class WordPieceDecoder final : public TokenDecoder {
 public:
  WordPieceDecoder(std::string prefix, bool cleanup)
      : prefix_(std::move(prefix)), cleanup_(cleanup) {}
  std::unique_ptr<PartSink> NewSink(PartSink& next) const override;

 private:
  class Sink;
  const std::string prefix_;
  const bool cleanup_;
};

// Reads the alphabet of byte_alphabet.h; a token that is not of it stays. What
// is then not UTF-8 becomes U+FFFD. Makes one part of all, but gives its
// characters as soon as they are whole.
class ByteLevelDecoder final : public TokenDecoder {
 public:
  std::unique_ptr<PartSink> NewSink(PartSink& next) const override;

 private:
  class Sink;
};

// Makes characters of runs of <0x00> ... <0xFF>; each byte of a run that is not
// UTF-8 becomes U+FFFD. So a run is held back until it ends, or is known to be
// none.
class ByteFallbackDecoder final : public TokenDecoder {
 public:
  std::unique_ptr<PartSink> NewSink(PartSink& next) const override;

 private:
  class Sink;
};

// Makes a space of the suffix; nothing in the last token, so that one token is
// held back.
class BpeSuffixDecoder final : public TokenDecoder {
 public:
  explicit BpeSuffixDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
  std::unique_ptr<PartSink> NewSink(PartSink& next) const override;

 private:
  class Sink;
  const std::string suffix_;
};

struct CtcDecoderOptions {
  std::string pad_token = "<pad>";
  std::string word_delimiter = "|";
  bool cleanup = true;
};

// Drops repetitions and padding.
class CtcDecoder final : public TokenDecoder {
 public:
  explicit CtcDecoder(CtcDecoderOptions options)
      : options_(std::move(options)) {}
  std::unique_ptr<PartSink> NewSink(PartSink& next) const override;

 private:
  class Sink;
  const CtcDecoderOptions options_;
};

}  // namespace penstock
