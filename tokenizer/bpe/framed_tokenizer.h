// What tokenizers with a frame share: the options of a call, what stands around
// the ids of a text, ways to segment drawn at random. Private to the
// tokenizers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/sampling.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/draws.h"

namespace penstock {

class FramedTokenizer : public Tokenizer {
 public:
  // On an error `ids` is what it was.
  Status Encode(std::string_view text, EncodeOptions options,
                std::vector<TokenId>& ids) const final;
  // Errors:  those of Encode and AlphaOf.
  Status EncodeSampled(std::string_view text, EncodeOptions options,
                       const Sampling& sampling,
                       std::vector<TokenId>& ids) const final;
  const EncodingFrame& frame() const final { return frame_; }

 protected:
  explicit FramedTokenizer(EncodingFrame frame)
      : frame_(std::move(frame)), affixes_(AffixesOf(frame_)) {}

  // Appends the ids of `text` alone; what it leaves after an error is dropped.
  // `drawing` may be null.
  virtual Status AppendIdsOf(std::string_view text, EncodeOptions options,
                             const Drawing* drawing,
                             std::vector<TokenId>& ids) const = 0;
  // The alpha of a Drawing; 0: as without one.
  // Errors:  kInvalidArgument; kUnimplemented.
  virtual StatusOr<double> AlphaOf(const Sampling& sampling) const = 0;

 private:
  Status EncodeWith(const Drawing* drawing, std::string_view text,
                    EncodeOptions options, std::vector<TokenId>& ids) const;
  Status AppendFramed(const Drawing* drawing, std::string_view text,
                      EncodeOptions options, std::vector<TokenId>& ids) const;

  const EncodingFrame frame_;
  const std::optional<Affixes> affixes_;
};

// That an id which the vocabulary of `name` lacks cannot be decoded.
Status UnknownIdError(TokenId id, std::string_view name, size_t ids);

}  // namespace penstock
