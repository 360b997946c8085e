// The decoders there are, each a few lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tokenizer/text_pattern.h"
#include "tokenizer/token_decoder.h"

namespace penstock {

// Joins tokens that have the prefix to what is before them and puts a space
// before the others. `cleanup` drops the spaces that English has not.
class WordPieceDecoder final : public TokenDecoder {
 public:
  WordPieceDecoder(std::string prefix, bool cleanup)
      : prefix_(std::move(prefix)), cleanup_(cleanup) {}
  void Decode(std::vector<std::string>& parts) const override;

 private:
  const std::string prefix_;
  const bool cleanup_;
};

// Reads the alphabet of byte_alphabet.h; a token that is not of it stays. What
// is then not UTF-8 becomes U+FFFD.
class ByteLevelDecoder final : public TokenDecoder {
 public:
  void Decode(std::vector<std::string>& parts) const override;
};

// Makes spaces of the replacement. `drops_first` drops those of the first
// token instead.
class MetaspaceDecoder final : public TokenDecoder {
 public:
  MetaspaceDecoder(uint32_t replacement, bool drops_first)
      : replacement_(replacement), drops_first_(drops_first) {}
  void Decode(std::vector<std::string>& parts) const override;

 private:
  const uint32_t replacement_;
  const bool drops_first_;
};

// Makes characters of runs of <0x00> ... <0xFF>; each byte of a run that is not
// UTF-8 becomes U+FFFD.
class ByteFallbackDecoder final : public TokenDecoder {
 public:
  void Decode(std::vector<std::string>& parts) const override;
};

// Makes a space of the suffix; nothing in the last token.
class BpeSuffixDecoder final : public TokenDecoder {
 public:
  explicit BpeSuffixDecoder(std::string suffix) : suffix_(std::move(suffix)) {}
  void Decode(std::vector<std::string>& parts) const override;

 private:
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
  void Decode(std::vector<std::string>& parts) const override;

 private:
  const CtcDecoderOptions options_;
};

// Makes one part of all.
class FuseDecoder final : public TokenDecoder {
 public:
  void Decode(std::vector<std::string>& parts) const override;
};

// Drops up to so many of one character at the ends of each part.
class StripDecoder final : public TokenDecoder {
 public:
  StripDecoder(uint32_t content, size_t start, size_t stop)
      : content_(content), start_(start), stop_(stop) {}
  void Decode(std::vector<std::string>& parts) const override;

 private:
  const uint32_t content_;
  const size_t start_, stop_;
};

class ReplaceDecoder final : public TokenDecoder {
 public:
  ReplaceDecoder(std::unique_ptr<const TextPattern> pattern,
                 std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  void Decode(std::vector<std::string>& parts) const override;

 private:
  const std::unique_ptr<const TextPattern> pattern_;
  const std::string content_;
};

}  // namespace penstock
