// What happens to ids once the model made them: truncation, tokens around them,
// padding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "tokenizer/tokenizer.h"

namespace penstock {

enum class Edge { kLeft, kRight };

struct Truncation {
  size_t max_length = 512;        // with the tokens around
  Edge direction = Edge::kRight;  // the side that is cut off
  // The file cuts the second of two texts only: one text alone cannot be cut.
  bool only_second = false;
};

struct Padding {
  std::optional<size_t> length;  // at least; without it the text's own
  size_t multiple_of = 0;        // 0: any length
  Edge direction = Edge::kRight;
  TokenId id = 0;
};

// How a text is framed. `around` has kText where the text goes, most often
// once.
struct EncodingFrame {
  static constexpr TokenId kText = std::numeric_limits<TokenId>::max();

  std::vector<TokenId> around = {kText};
  // What the file counts as added, which truncation leaves room for.
  size_t added() const;

  std::optional<Truncation> truncation;
  std::optional<Padding> padding;
};

// The ids of a framed text, as positions: of an id of the text, else kAround or
// kPad with the id to put there.
struct FramedId {
  enum class Kind : uint8_t { kText, kAround, kPad };
  Kind kind;
  uint32_t position;  // in the text's ids
  TokenId id;         // of kAround and kPad
};

// Errors:  kInvalidArgument where the text is too long and cannot be cut.
absl::Status Frame(const EncodingFrame& frame, bool add_special_tokens,
                   size_t text_ids, std::vector<FramedId>& framed);

}  // namespace penstock
