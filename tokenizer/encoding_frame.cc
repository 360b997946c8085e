#include "tokenizer/encoding_frame.h"

#include <fmt/format.h>

#include <algorithm>

namespace penstock {

size_t EncodingFrame::added() const {
  return around.size() - std::count(around.begin(), around.end(), kText);
}

absl::Status Frame(const EncodingFrame& frame, bool add_special_tokens,
                   size_t text_ids, std::vector<FramedId>& framed) {
  size_t begin = 0;
  size_t end = text_ids;
  if (frame.truncation) {
    size_t limit = frame.truncation->max_length;
    if (add_special_tokens) limit -= std::min(limit, frame.added());
    if (text_ids > limit) {
      if (frame.truncation->only_second && limit > 0) {
        return absl::InvalidArgumentError(fmt::format(
            "{} tokens are more than the file's max_length {}, and its "
            "strategy only cuts the second of two texts",
            text_ids, frame.truncation->max_length));
      }
      if (frame.truncation->direction == Edge::kRight) {
        end = limit;
      } else {
        begin = text_ids - limit;
      }
    }
  }
  for (const TokenId id : frame.around) {
    if (id != EncodingFrame::kText) {
      if (!add_special_tokens) continue;
      framed.push_back({FramedId::Kind::kAround, 0, id});
      continue;
    }
    for (size_t i = begin; i < end; ++i) {
      framed.push_back({FramedId::Kind::kText, static_cast<uint32_t>(i), 0});
    }
  }
  if (!frame.padding) return absl::OkStatus();
  const Padding& padding = *frame.padding;
  size_t length = padding.length.value_or(framed.size());
  if (padding.multiple_of > 0) {
    length = (length + padding.multiple_of - 1) / padding.multiple_of *
             padding.multiple_of;
  }
  if (framed.size() >= length) return absl::OkStatus();
  const FramedId pad = {FramedId::Kind::kPad, 0, padding.id};
  framed.insert(
      padding.direction == Edge::kRight ? framed.end() : framed.begin(),
      length - framed.size(), pad);
  return absl::OkStatus();
}

}  // namespace penstock
