// Of component_tokenizer.h: the texts between added tokens, many at a time.
#include <algorithm>
#include <span>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/components/component_call.h"
#include "tokenizer/interface/text_buffer.h"

namespace penstock {

Status ComponentTokenizer::EncodeJoined(
    Call& call, std::string_view text,
    std::span<const AddedTokens::Part> parts) const {
  constexpr size_t kMostTokens = 4096;
  TextBuffer joined;
  joined.Reserve(2 * std::min(text.size(), kChunkBytes));
  std::vector<PlacedToken> tokens;
  const auto encode = [&] {
    const Status status =
        parts_.model->EncodeBetween(joined.text(), tokens, call.ids);
    joined.Clear();
    tokens.clear();
    return status;
  };
  for (const AddedTokens::Part& part : parts) {
    if (part.token != nullptr) {
      if (tokens.size() == kMostTokens) PENSTOCK_RETURN_IF_ERROR(encode());
      tokens.push_back({joined.size(), part.token->id});
      continue;
    }
    for (size_t at = part.begin; at < part.end;) {
      if (joined.size() >= kChunkBytes) PENSTOCK_RETURN_IF_ERROR(encode());
      size_t end = part.end;
      if (end - at > kChunkBytes && inner_cutter_ != nullptr) {
        const size_t cut = inner_cutter_->LastCut(text.substr(at, kChunkBytes));
        if (cut != 0) end = at + cut;
      }
      joined.Reserve(replacement_->MostBytes(end - at) +
                     ByteReplacement::kMostBytes);
      joined.SetEnd(replacement_->Put(text, at, end, joined.end()));
      PENSTOCK_RETURN_IF_ERROR(CheckTextSize(joined.size()));
      at = end;
    }
  }
  return encode();
}

}  // namespace penstock
