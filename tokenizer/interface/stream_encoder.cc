#include "tokenizer/interface/stream_encoder.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status.h"

namespace penstock {

StreamEncoder::StreamEncoder(const Tokenizer& tokenizer, EncodeOptions options)
    : tokenizer_(tokenizer),
      options_(options),
      affixes_(AffixesOf(tokenizer.frame())) {}

Status StreamEncoder::Add(std::string_view chunk, std::vector<TokenId>& ids) {
  held_ += chunk;
  if (!affixes_ || held_.size() < look_at_) return OkStatus();
  const size_t cut = tokenizer_.SafeCut(held_);
  if (cut > 0) {
    PENSTOCK_RETURN_IF_ERROR(
        Encode(std::string_view(held_).substr(0, cut), ids));
    held_.erase(0, cut);
  }
  // Looked at again when it is twice as long, what is held costs as much as it
  // is long.
  look_at_ = held_.size() * 2;
  return OkStatus();
}

Status StreamEncoder::Encode(std::string_view part, std::vector<TokenId>& ids) {
  EncodeOptions bare = options_;
  bare.add_special_tokens = false;
  bare.begins_text &= !started_;
  if (!std::exchange(started_, true) && options_.add_special_tokens) {
    ids.insert(ids.end(), affixes_->before.begin(), affixes_->before.end());
  }
  const Status status = tokenizer_.Encode(part, bare, ids);
  if (!status.ok()) {
    return Annotate(status,
                    fmt::format("in the text from byte {} on", done_bytes_));
  }
  done_bytes_ += part.size();
  return OkStatus();
}

Status StreamEncoder::Finish(std::vector<TokenId>& ids) {
  if (!affixes_) {
    PENSTOCK_RETURN_IF_ERROR(tokenizer_.Encode(held_, options_, ids));
  } else {
    PENSTOCK_RETURN_IF_ERROR(Encode(held_, ids));
    if (options_.add_special_tokens) {
      ids.insert(ids.end(), affixes_->after.begin(), affixes_->after.end());
    }
  }
  held_.clear();
  look_at_ = done_bytes_ = 0;
  started_ = false;
  return OkStatus();
}

}  // namespace penstock
