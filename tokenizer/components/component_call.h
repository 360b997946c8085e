// One Encode of a ComponentTokenizer on its way. Private to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tokenizer/components/component_tokenizer.h"

namespace penstock {

// A long text leaves the processor's caches between one component and the next.
inline constexpr size_t kChunkBytes = size_t{16} << 10;

struct ComponentTokenizer::Call {
  SpecialText special_text;
  Alignment alignment;
  PieceMemory& memory;
  std::vector<TokenId>& ids;
  std::vector<TokenOrigin>* origins;  // null: ids are all that is asked for
  std::vector<std::string>* surfaces = nullptr;  // goes with origins
  std::vector<TokenSpan> spans = {};             // of one piece's tokens
  uint32_t word = 0;
  const Drawing* drawing = nullptr;  // may be null
  // What EncodeWhole gave is so whatever special_text is.
  bool is_to_keep = true;
  bool begins = true;  // what is encoded next: a text, or one behind a token
};

}  // namespace penstock
