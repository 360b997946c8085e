#include "tokenizer/token_decoders.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "tokenizer/byte_alphabet.h"
#include "tokenizer/valid_utf8.h"

namespace penstock {
namespace {

void ReplaceAll(std::string_view from, std::string_view to, std::string& text) {
  if (from.empty() || text.find(from) == std::string::npos) return;
  std::string replaced;
  size_t gap = 0;
  for (size_t found; (found = text.find(from, gap)) != std::string::npos;) {
    replaced.append(text, gap, found - gap);
    replaced.append(to);
    gap = found + from.size();
  }
  replaced.append(text, gap);
  text = std::move(replaced);
}

// In this order.
void CleanUp(std::string& text) {
  static constexpr std::pair<std::string_view, std::string_view> kRules[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (const auto& [from, to] : kRules) ReplaceAll(from, to, text);
}

// The byte that "<0x41>" spells. The reference reads "<0x+5>" too.
std::optional<char> ByteTokenValue(std::string_view token) {
  if (token.size() != 6 || !token.starts_with("<0x") || token[5] != '>') {
    return std::nullopt;
  }
  int value = 0;
  for (const size_t i : {3, 4}) {
    const char c = token[i];
    int digit = 0;
    if (c >= '0' && c <= '9') {
      digit = c - '0';
    } else if (c >= 'a' && c <= 'f') {
      digit = c - 'a' + 10;
    } else if (c >= 'A' && c <= 'F') {
      digit = c - 'A' + 10;
    } else if (i != 3 || c != '+') {
      return std::nullopt;
    }
    value = value * 16 + digit;
  }
  return static_cast<char>(value);
}

}  // namespace

void WordPieceDecoder::Decode(std::vector<std::string>& parts) const {
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      if (parts[i].starts_with(prefix_)) {
        parts[i].erase(0, prefix_.size());
      } else {
        parts[i].insert(0, 1, ' ');
      }
    }
    if (cleanup_) CleanUp(parts[i]);
  }
}

void ByteLevelDecoder::Decode(std::vector<std::string>& parts) const {
  std::string bytes;
  for (const std::string& part : parts) {
    bytes += BytesOfSpelling(part).value_or(part);
  }
  if (!IsValidUtf8(bytes)) bytes = ReplaceUtf8Errors(bytes);
  parts.assign(1, std::move(bytes));
}

void MetaspaceDecoder::Decode(std::vector<std::string>& parts) const {
  std::string spelled;
  AppendChar(replacement_, spelled);
  for (size_t i = 0; i < parts.size(); ++i) {
    ReplaceAll(spelled, i == 0 && drops_first_ ? "" : " ", parts[i]);
  }
}

void ByteFallbackDecoder::Decode(std::vector<std::string>& parts) const {
  std::vector<std::string> decoded;
  std::string bytes;
  const auto flush = [&] {
    if (bytes.empty()) return;
    if (IsValidUtf8(bytes)) {
      decoded.push_back(bytes);
    } else {
      decoded.insert(decoded.end(), bytes.size(), "\ufffd");
    }
    bytes.clear();
  };
  for (std::string& part : parts) {
    if (const auto byte = ByteTokenValue(part)) {
      bytes.push_back(*byte);
    } else {
      flush();
      decoded.push_back(std::move(part));
    }
  }
  flush();
  parts = std::move(decoded);
}

void BpeSuffixDecoder::Decode(std::vector<std::string>& parts) const {
  for (size_t i = 0; i < parts.size(); ++i) {
    ReplaceAll(suffix_, i + 1 == parts.size() ? "" : " ", parts[i]);
  }
}

void CtcDecoder::Decode(std::vector<std::string>& parts) const {
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  for (std::string& part : parts) {
    ReplaceAll(options_.pad_token, "", part);
    if (!options_.cleanup) continue;
    CleanUp(part);
    ReplaceAll(options_.word_delimiter, " ", part);
  }
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
}

void FuseDecoder::Decode(std::vector<std::string>& parts) const {
  std::string fused;
  for (const std::string& part : parts) fused += part;
  parts.assign(1, std::move(fused));
}

void StripDecoder::Decode(std::vector<std::string>& parts) const {
  for (std::string& part : parts) {
    size_t begin = 0;
    for (size_t n = 0; n < start_ && begin < part.size(); ++n) {
      size_t pos = begin;
      if (NextChar(part, pos) != content_) break;
      begin = pos;
    }
    size_t end = part.size();
    for (size_t n = 0; n < stop_ && end > 0; ++n) {
      const size_t last = PreviousChar(part, end);
      size_t pos = last;
      if (NextChar(part, pos) != content_) break;
      end = last;
    }
    part = begin < end ? part.substr(begin, end - begin) : "";
  }
}

void ReplaceDecoder::Decode(std::vector<std::string>& parts) const {
  std::vector<MatchedPart> matches;
  for (std::string& part : parts) {
    pattern_->Match(part, matches);
    std::string replaced;
    for (const MatchedPart& match : matches) {
      if (match.is_match) {
        replaced += content_;
      } else {
        replaced.append(part, match.begin, match.end - match.begin);
      }
    }
    part = std::move(replaced);
  }
}

}  // namespace penstock
