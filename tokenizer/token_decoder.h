// Turns the spellings of tokens back into text: the decoder of a
// tokenizer.json.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace penstock {

// Threads: any number at a time.
class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;

  // Rewrites the parts that, one after the other, are the text; at first each
  // is a token's spelling.
  virtual void Decode(std::vector<std::string>& parts) const = 0;
};

// One after the other.
class DecoderSequence final : public TokenDecoder {
 public:
  explicit DecoderSequence(
      std::vector<std::unique_ptr<const TokenDecoder>> steps)
      : steps_(std::move(steps)) {}

  void Decode(std::vector<std::string>& parts) const override {
    for (const auto& step : steps_) step->Decode(parts);
  }

 private:
  const std::vector<std::unique_ptr<const TokenDecoder>> steps_;
};

}  // namespace penstock
