// Turns the spellings of tokens back into text, one after the other: the
// decoder of a tokenizer.json.
//
// Implementations form a star around this header: token_decoders,
// fragment_decoders.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock {

// Takes the parts that, one after the other, are a text.
class PartSink {
 public:
  virtual ~PartSink() = default;

  // The next characters of a part: whole ones.
  virtual void Text(std::string_view text) = 0;
  virtual void EndPart() = 0;
  // Behind the last part. The last call.
  virtual void End() = 0;
};

// Threads: any number at a time.
class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;

  // What takes parts, at first each a token's spelling, and gives the parts it
  // makes of them to `next`, as soon as nothing that follows can change them.
  // This and `next` must outlive it.
  virtual std::unique_ptr<PartSink> NewSink(PartSink& next) const = 0;
};

// One after the other.
class DecoderSequence final : public TokenDecoder {
 public:
  explicit DecoderSequence(
      std::vector<std::unique_ptr<const TokenDecoder>> steps)
      : steps_(std::move(steps)) {}

  std::unique_ptr<PartSink> NewSink(PartSink& next) const override;

 private:
  const std::vector<std::unique_ptr<const TokenDecoder>> steps_;
};

}  // namespace penstock
