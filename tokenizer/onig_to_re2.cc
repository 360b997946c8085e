#include "tokenizer/onig_to_re2.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "formats/status.h"
#include "tokenizer/char_set.h"
#include "tokenizer/valid_utf8.h"

namespace penstock {
namespace {

absl::Status No(std::string_view what) {
  return absl::UnimplementedError(fmt::format("{} is not supported", what));
}

std::string Literal(uint32_t c) { return fmt::format("\\x{{{:x}}}", c); }

class Translator {
 public:
  explicit Translator(std::string_view regex) : in_(regex) {}

  absl::StatusOr<std::string> Run() {
    while (pos_ < in_.size()) PENSTOCK_RETURN_IF_ERROR(Step());
    if (depth_ > 0) return No("a group that does not end");
    return std::move(out_);
  }

 private:
  static constexpr int kNotFolded = -1;
  static constexpr size_t npos = std::string_view::npos;

  bool Take(std::string_view text) {
    if (!in_.substr(pos_).starts_with(text)) return false;
    pos_ += text.size();
    return true;
  }

  absl::Status Step() {
    if (Take("|")) {
      out_ += "|";
      can_repeat_ = false;
      folded_before_ = 0;
      return absl::OkStatus();
    }
    if (in_[pos_] == '(') return Open();
    if (Take(")")) {
      if (depth_ == 0) return No("a group that does not begin");
      if (--depth_ < folded_depth_) folded_depth_ = kNotFolded;
      folded_before_ = 0;
      out_ += ")";
      can_repeat_ = true;
      return absl::OkStatus();
    }
    if (folded_depth_ != kNotFolded && in_[pos_] == '[') {
      return No("a class in (?i:...)");
    }
    if (Take("[")) return Class();
    if (in_[pos_] == '*' || in_[pos_] == '+' || in_[pos_] == '?') {
      return Repeat(std::string(1, in_[pos_++]));
    }
    if (in_[pos_] == '{') return Count();
    if (Take("^") || Take("$")) return No("an anchor");
    can_repeat_ = true;
    if (folded_depth_ != kNotFolded) return Folded();
    if (Take(".")) {
      out_ += CharSet::Of('\n', '\n').Complement().ToRe2();
      return absl::OkStatus();
    }
    if (in_[pos_] != '\\') {
      out_ += Literal(NextChar(in_, pos_));
      return absl::OkStatus();
    }
    PENSTOCK_ASSIGN_OR_RETURN(const CharSet set, Escape());
    out_ += set.ToRe2();
    return absl::OkStatus();
  }

  absl::Status Open() {
    if (Take("(?:")) {
      out_ += "(?:";
    } else if (folded_depth_ == kNotFolded && Take("(?i:")) {
      out_ += "(?:";
      folded_depth_ = depth_ + 1;
    } else if (in_.substr(pos_).starts_with("(?")) {
      return No(fmt::format("the group {}...", in_.substr(pos_, 4)));
    } else {
      ++pos_;
      out_ += "(?:";
    }
    ++depth_;
    can_repeat_ = false;
    folded_before_ = 0;
    return absl::OkStatus();
  }

  // One ASCII character of (?i:...), which two others fold to: U+017F and
  // U+212A. Some pairs of letters are what a ligature or \u00df folds to.
  absl::Status Folded() {
    const char c = in_[pos_];
    const bool plain =
        c > ' ' && c <= '~' && std::string_view(".\\").find(c) == npos;
    if (!plain) return No("that in (?i:...)");
    ++pos_;
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    const char pair[2] = {std::exchange(folded_before_, lower), lower};
    constexpr std::string_view kPairs = "ss ff fi fl st";
    if (kPairs.find({pair, 2}) != npos) {
      return No(fmt::format("{} in (?i:...)", std::string_view(pair, 2)));
    }
    CharSet set = CharSet::Of(c, c);
    if (lower >= 'a' && lower <= 'z') {
      set = CharSet::Of(lower, lower);
      set.Add(CharSet::Of(lower - 32, lower - 32));
      if (lower == 's') set.Add(CharSet::Of(0x17f, 0x17f));
      if (lower == 'k') set.Add(CharSet::Of(0x212a, 0x212a));
    }
    out_ += set.ToRe2();
    return absl::OkStatus();
  }

  // Behind `mark`, which repeats: lazy, or what RE2 does not have.
  absl::Status Repeat(std::string mark) {
    if (!can_repeat_) return No(fmt::format("{} there", mark));
    can_repeat_ = false;
    if (Take("+")) return No(fmt::format("possessive {}+", mark));
    // Ruby reads {2}? as "twice or not at all".
    if (mark.ends_with('}') && in_.substr(pos_).starts_with("?")) {
      return No(fmt::format("{}?", mark));
    }
    out_ += mark;
    if (Take("?")) out_ += "?";
    return absl::OkStatus();
  }

  // {2}, {2,}, {2,3}, {,3}; else a brace.
  absl::Status Count() {
    const size_t end = in_.find('}', pos_);
    std::string_view inside;
    if (end != std::string_view::npos) {
      inside = in_.substr(pos_ + 1, end - pos_ - 1);
    }
    if (inside.empty() || inside == "," ||
        inside.find_first_not_of("0123456789,") != std::string_view::npos) {
      return No("a brace that is not escaped");
    }
    pos_ = end + 1;
    return Repeat(fmt::format("{{{}{}}}", inside[0] == ',' ? "0" : "", inside));
  }

  absl::StatusOr<CharSet> Escape() {
    const size_t begin = pos_++;
    if (pos_ == in_.size()) return No("a backslash at the end");
    const char c = in_[pos_];
    if (c == 'x' || c == 'u') return HexEscape();
    if (c == 'p' || c == 'P') return Property();
    if (static_cast<unsigned char>(c) >= 0x80 ||
        std::string_view("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ ").find(c) !=
            std::string_view::npos) {
      const uint32_t literal = NextChar(in_, pos_);
      return CharSet::Of(literal, literal);
    }
    ++pos_;
    constexpr std::string_view kNames = "nrtfvae", kValues = "\n\r\t\f\v\a\x1b";
    if (const size_t i = kNames.find(c); i != std::string_view::npos) {
      return CharSet::Of(kValues[i], kValues[i]);
    }
    switch (c) {
      case 's':
        return CharSet::Spaces();
      case 'S':
        return CharSet::Spaces().Complement();
      case 'd':
        return *CharSet::Category("Nd");
      case 'D':
        return CharSet::Category("Nd")->Complement();
      default:
        return No(in_.substr(begin, pos_ - begin));
    }
  }

  // \x41, \x{1F600} or \u00e9.
  absl::StatusOr<CharSet> HexEscape() {
    const bool four = in_[pos_++] == 'u';
    size_t end = pos_ + (four ? 4 : 2);
    size_t next = end;
    if (!four && Take("{")) {
      end = std::min(in_.find('}', pos_), in_.size());
      next = end + 1;
    }
    uint32_t c = 0;
    end = std::min(end, in_.size());
    const auto [stop, error] =
        std::from_chars(in_.data() + pos_, in_.data() + end, c, 16);
    const bool whole = stop == in_.data() + end && next <= in_.size();
    // Two digits above 7F are a byte, not a character.
    const bool byte = !four && next == end && c > 0x7f;
    if (error != std::errc() || !whole || byte || c > 0x10ffff) {
      return No("that \\x");
    }
    pos_ = next;
    return CharSet::Of(c, c);
  }

  absl::StatusOr<CharSet> Property() {
    bool negated = in_[pos_++] == 'P';
    if (!Take("{")) return No("\\p without a brace");
    if (Take("^")) negated = !negated;
    const size_t end = std::min(in_.find('}', pos_), in_.size());
    const std::string_view name = in_.substr(pos_, end - pos_);
    const auto set = CharSet::Category(name);
    if (!set) return No(fmt::format("\\p{{{}}}", name));
    pos_ = end + 1;
    return negated ? set->Complement() : *set;
  }

  absl::Status Class() {
    const bool negated = Take("^");
    if (in_.substr(pos_).starts_with("]"))
      return No("a class that begins with ]");
    CharSet set;
    while (!Take("]")) {
      if (pos_ >= in_.size()) return No("a class that does not end");
      if (in_[pos_] == '[' || in_.substr(pos_).starts_with("&&")) {
        return No("a class in a class");
      }
      PENSTOCK_RETURN_IF_ERROR(ClassItem(set));
    }
    out_ += (negated ? set.Complement() : set).ToRe2();
    can_repeat_ = true;
    return absl::OkStatus();
  }

  absl::Status ClassItem(CharSet& set) {
    const auto one = [this]() -> absl::StatusOr<CharSet> {
      if (in_[pos_] == '\\') return Escape();
      const uint32_t c = NextChar(in_, pos_);
      return CharSet::Of(c, c);
    };
    PENSTOCK_ASSIGN_OR_RETURN(const CharSet first, one());
    const std::string_view rest = in_.substr(pos_);
    if (!rest.starts_with("-") || rest.size() < 2 || rest[1] == ']') {
      set.Add(first);
      return absl::OkStatus();
    }
    ++pos_;
    if (in_[pos_] == '[') return No("a class in a class");
    PENSTOCK_ASSIGN_OR_RETURN(const CharSet last, one());
    const auto range = CharSet::Between(first, last);
    if (!range) return No("that range");
    set.Add(*range);
    return absl::OkStatus();
  }

  const std::string_view in_;
  size_t pos_ = 0;
  std::string out_;
  int depth_ = 0;
  bool can_repeat_ = false;
  // Inside (?i:...): the depth of that group, and the letter just before.
  int folded_depth_ = kNotFolded;
  char folded_before_ = 0;
};

}  // namespace

absl::StatusOr<TranslatedRegex> TranslateOnigToRe2(std::string_view regex) {
  constexpr std::string_view kSpaces = R"(|\s+(?!\S)|\s+)";
  TranslatedRegex translated;
  if (regex.ends_with(kSpaces)) {
    const std::string_view before =
        regex.substr(0, regex.size() - kSpaces.size());
    PENSTOCK_ASSIGN_OR_RETURN(translated.before_spaces,
                              Translator(before).Run());
    translated.re2 =
        *translated.before_spaces + "|" + CharSet::Spaces().ToRe2() + "+";
    return translated;
  }
  PENSTOCK_ASSIGN_OR_RETURN(translated.re2, Translator(regex).Run());
  return translated;
}

}  // namespace penstock
