#include "tokenizer/normalizers/pattern_normalizer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/unicode/hf_unicode.h"
#include "tokenizer/unicode/replace_byte.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {

namespace {

// 0 where it is not one.
uint32_t OneCharacter(std::string_view text) {
  size_t end = 0;
  const uint32_t c = text.empty() ? 0 : NextChar(text, end);
  return end == text.size() ? c : 0;
}

}  // namespace

uint32_t PatternNormalizer::BlankBehind(uint32_t c, uint32_t blank) const {
  if (matched_.runs != MatchedBytes::Runs::kNone) {
    const uint32_t joined = OneCharacter(content_);
    if (matched_.runs == MatchedBytes::Runs::kWhiteSpace) {
      return hf_unicode::BitsOf(c) & hf_unicode::kSpace ? 0 : joined;
    }
    return joined == 0 || blank == ' ' ? joined : blank;
  }
  // Text must not become many times as much, part by part.
  constexpr size_t kMany = 64;
  if (matched_.all.empty() || content_.size() > kMany) return 0;
  const auto is_matched = [this](uint32_t byte) {
    return matched_.all.find(static_cast<char>(byte)) != std::string::npos;
  };
  std::string text;
  AppendChar(c, text);
  if (matched_.all == " " && blank == ' ') return OneCharacter(content_);
  return is_matched(blank) || is_matched(text.back()) ? 0 : blank;
}

std::optional<ByteReplacement> PatternNormalizer::OneByte() const {
  if (matched_.all.size() != 1 ||
      content_.size() > ByteReplacement::kMostBytes) {
    return std::nullopt;
  }
  return ByteReplacement(matched_.all[0], content_);
}

// Of a text that is found as it is, where alignment is dropped.
void PatternNormalizer::ReplaceAll(AlignedText& text) const {
  const std::string_view source = text.text();
  const std::string_view found = matched_.all;
  size_t at = source.find(found);
  if (at == source.npos) return;
  if (const auto one = OneByte();
      one && text.MayWrite(one->MostBytes(source.size()))) {
    return text.Rewrite(Replaced(source, *one));
  }
  std::string replaced;
  replaced.reserve(source.size() + source.size() / 2);
  size_t copied = 0;
  for (; at != source.npos && text.MayWrite(replaced.size());
       at = source.find(found, copied)) {
    replaced.append(source, copied, at - copied);
    replaced += content_;
    copied = at + found.size();
  }
  replaced.append(source, copied);
  text.Rewrite(std::move(replaced));
}

Status PatternNormalizer::Edit(AlignedText& text) const {
  if (!matched_.all.empty() && text.alignment() == Alignment::kDropped) {
    ReplaceAll(text);
    return OkStatus();
  }
  std::vector<MatchedPart> parts;
  PENSTOCK_RETURN_IF_ERROR(pattern_->Match(text.text(), parts));
  TextEdit edit(text);
  for (const MatchedPart& part : parts) {
    if (part.is_match) {
      edit.SkipTo(part.end);
      edit.Insert(content_);
    } else {
      edit.Copy(part.end);
    }
  }
  edit.Finish();
  return OkStatus();
}

}  // namespace penstock
