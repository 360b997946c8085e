#include "formats/corpora/json_check.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace penstock {
namespace {

// Containers inside each other that simdjson refuses, unless the last is empty.
constexpr size_t kTooManyLevels = 1024;

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The four hexadecimal digits at the front; -1 where there are none.
int32_t HexOf(std::string_view text) {
  if (text.size() < 4) return -1;
  int32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    value *= 16;
    if (IsDigit(c)) {
      value += c - '0';
    } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
      value += (c | 0x20) - 'a' + 10;
    } else {
      return -1;
    }
  }
  return value;
}

// Bytes of the UTF-8 character at the front; 0 where it is none.
size_t CharacterBytes(std::string_view text) {
  for (size_t size = 1; size <= 4 && size <= text.size(); ++size) {
    if (simdjson::validate_utf8(text.data(), size)) return size;
  }
  return 0;
}

// Goes over a document byte by byte. Each step returns false at a fault.
class Walker {
 public:
  Walker(std::string_view text, JsonLeniency leniency)
      : text_(text), leniency_(leniency) {}

  bool Document() {
    for (bool complete = false;;) {
      Skip();
      if (!Value(complete)) return false;
      while (complete) {
        Skip();
        if (open_.empty()) {
          return at_ == text_.size() || Fail("more follows the document");
        }
        const char open = text_[open_.back()];
        if (at_ == text_.size()) return FailAtOpen();
        if (text_[at_] == ',') {
          ++at_;
          complete = false;
          if (open == '{' && !Key()) return false;
        } else if (text_[at_] == (open == '{' ? '}' : ']')) {
          ++at_;
          open_.pop_back();
        } else {
          return Fail(open == '{' ? "expected ',' or '}'"
                                  : "expected ',' or ']'");
        }
      }
    }
  }

  const JsonFault& fault() const { return fault_; }

  std::string Mended() const {
    std::string mended;
    size_t done = 0;
    for (const Edit& edit : edits_) {
      mended += text_.substr(done, edit.begin - done);
      mended += edit.text;
      done = edit.begin + edit.size;
    }
    mended += text_.substr(done);
    return mended;
  }

 private:
  struct Edit {
    size_t begin;
    size_t size;
    std::string_view text;
  };

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  std::string_view Rest() const { return text_.substr(at_); }

  bool Fail(std::string_view what) { return Fail(at_, what); }
  bool Fail(size_t offset, std::string_view what) {
    fault_ = {offset, what};
    return false;
  }
  bool FailAtOpen() {
    if (open_.empty()) return Fail("the document ends before it begins");
    return Fail(open_.back(), text_[open_.back()] == '{'
                                  ? "an object is opened, but never closed"
                                  : "an array is opened, but never closed");
  }

  void Skip() {
    at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
  }

  // A whole value, or the start of one with members up to the first of them.
  bool Value(bool& complete) {
    complete = true;
    if (at_ == text_.size()) return FailAtOpen();
    switch (text_[at_]) {
      case '"':
        return String();
      case 't':
        return Literal("true");
      case 'f':
        return Literal("false");
      case 'n':
        return Literal("null");
      case '{':
      case '[':
        return Open(complete);
      default:
        if (text_[at_] == '-' || IsDigit(text_[at_])) return Number();
        return Fail("expected a value");
    }
  }

  bool Open(bool& complete) {
    const size_t begin = at_++;
    const bool is_object = text_[begin] == '{';
    Skip();
    if (Peek() == (is_object ? '}' : ']')) {
      ++at_;
      return true;
    }
    if (open_.size() + 1 >= kTooManyLevels) {
      return Fail(begin, "1024 levels and more");
    }
    open_.push_back(begin);
    complete = false;
    return !is_object || Key();
  }

  bool Key() {
    Skip();
    if (at_ == text_.size()) return FailAtOpen();
    if (text_[at_] != '"') return Fail("expected a name in double quotes");
    if (!String()) return false;
    Skip();
    if (Peek() != ':') return Fail("expected ':' behind the name");
    ++at_;
    return true;
  }

  bool Literal(std::string_view word) {
    if (!Rest().starts_with(word)) return Fail("expected a value");
    at_ += word.size();
    return true;
  }

  bool String() {
    const size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') {
      const auto byte = static_cast<uint8_t>(text_[at_]);
      if (byte == '\\') {
        if (!Escape()) return false;
      } else if (byte < ' ') {
        return Fail("a control byte in a string");
      } else if (byte < 0x80) {
        ++at_;
      } else if (const size_t size = CharacterBytes(Rest())) {
        at_ += size;
      } else {
        if (!leniency_.unicode) return Fail("a byte that is not UTF-8");
        Replace(1, kReplacement);
      }
    }
    if (at_ == text_.size()) {
      return Fail(begin, "a string is opened, but never closed");
    }
    ++at_;
    return true;
  }

  bool Escape() {
    const char kind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
    if (kind != 'u') {
      constexpr std::string_view kKinds = "\"\\/bfnrt";
      if (kKinds.find(kind) == kKinds.npos) {
        return Fail("a backslash that begins no escape");
      }
      at_ += 2;
      return true;
    }
    const int32_t unit = HexOf(Rest().substr(2));
    if (unit < 0) return Fail("\\u without four hexadecimal digits");
    if (unit < 0xd800 || unit > 0xdfff) {
      at_ += 6;
      return true;
    }
    const std::string_view next = Rest().substr(6);
    const int32_t low = next.starts_with("\\u") ? HexOf(next.substr(2)) : -1;
    if (unit < 0xdc00 && low >= 0xdc00 && low <= 0xdfff) {
      at_ += 12;
      return true;
    }
    if (!leniency_.unicode) return Fail("half of a surrogate pair");
    Replace(6, kReplacement);
    return true;
  }

  bool Number() {
    const size_t begin = at_;
    const auto digits = [this] {
      const size_t first = at_;
      while (IsDigit(Peek())) ++at_;
      return at_ > first;
    };
    if (Peek() == '-') ++at_;
    const bool zero = Peek() == '0';
    const size_t first = at_;
    if (!digits()) return Fail(begin, "a number without digits");
    if (zero && at_ > first + 1) return Fail(begin, "a number begins with 0");
    if (Peek() == '.') {
      ++at_;
      if (!digits()) return Fail(begin, "a number without digits");
    }
    if ((Peek() | 0x20) == 'e') {
      ++at_;
      if (Peek() == '+' || Peek() == '-') ++at_;
      if (!digits()) return Fail(begin, "a number without digits");
    }
    const std::string token(text_.substr(begin, at_ - begin));
    if (parser_.parse(token).error() == simdjson::SUCCESS) return true;
    if (!leniency_.numbers) {
      return Fail(begin, "a number outside 64 bits or a double's range");
    }
    const size_t size = at_ - begin;
    at_ = begin;
    Replace(size, "0");
    return true;
  }

  void Replace(size_t size, std::string_view text) {
    edits_.push_back({at_, size, text});
    at_ += size;
  }

  const std::string_view text_;
  const JsonLeniency leniency_;
  size_t at_ = 0;
  std::vector<size_t> open_;  // where each begins
  std::vector<Edit> edits_;
  JsonFault fault_;
  simdjson::dom::parser parser_;  // for numbers
};

}  // namespace

std::optional<JsonFault> FindJsonFault(std::string_view document,
                                       JsonLeniency leniency) {
  Walker walker(document, leniency);
  if (walker.Document()) return std::nullopt;
  return walker.fault();
}

std::optional<std::string> MendJson(std::string_view document,
                                    JsonLeniency leniency) {
  Walker walker(document, leniency);
  if (!walker.Document()) return std::nullopt;
  return walker.Mended();
}

}  // namespace penstock
