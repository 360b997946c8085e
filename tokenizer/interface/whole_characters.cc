#include "tokenizer/interface/whole_characters.h"

#include "formats/files/status.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

void WholeCharacters::Add(std::string_view bytes, std::string& text) {
  held_ += bytes;
  const size_t whole = held_.size() - UnfinishedUtf8Size(held_);
  text.append(held_, 0, whole);
  held_.erase(0, whole);
}

void WholeCharacters::Finish(std::string& text) {
  text += held_;
  held_.clear();
}

Status IdByIdDecoder::Add(TokenId id, std::string& text) {
  bytes_.clear();
  PENSTOCK_RETURN_IF_ERROR(tokenizer_.Decode({&id, 1}, options_, bytes_));
  characters_.Add(bytes_, text);
  return OkStatus();
}

}  // namespace penstock
