#include "tokenizer/regex/regex_chars.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr int kMaxClassDepth = 20;

}  // namespace

Status RegexLacks(std::string_view what) {
  return UnimplementedError(fmt::format("{} is not supported", what));
}

StatusOr<CharSet> RegexChars::EscapeOr(size_t& pos, bool folds, WordOf word) {
  const size_t begin = pos++;
  if (pos == in_.size()) return RegexLacks("a backslash at the end");
  const char c = in_[pos];
  if (c == 'x' || c == 'u') return Hex(pos);
  if (folds && (c == 'p' || c == 'P' || c == 'S' || c == 'D')) {
    return RegexLacks(fmt::format("\\{} in (?i:...)", c));
  }
  if (c == 'p' || c == 'P') return Property(pos);
  const bool onig = syntax_ == RegexSyntax::kOniguruma;
  // fancy-regex reads \< and \> as borders of words.
  constexpr std::string_view kMarks = "!\"#$%&'()*+,-./:;=?@[\\]^_`{|}~ <>";
  if (const size_t mark = kMarks.find(c);
      mark != std::string_view::npos && (onig || mark + 3 < kMarks.size())) {
    ++pos;
    return CharSet::Of(c, c);
  }
  if (static_cast<unsigned char>(c) >= 0x80) {
    return RegexLacks("a backslash before that");
  }
  ++pos;
  constexpr std::string_view kNames = "nrtfvae", kValues = "\n\r\t\f\v\a\x1b";
  if (const size_t i = kNames.find(c); i != std::string_view::npos) {
    return CharSet::Of(kValues[i], kValues[i]);
  }
  switch (c) {
    case 's':
      return properties_.Spaces();
    case 'S':
      return properties_.Spaces().Complement();
    case 'd':
      return properties_.Digits();
    case 'D':
      return properties_.Digits().Complement();
    case 'w':
    case 'W':
      if (folds) break;
      return c == 'w' ? (properties_.*word)()
                      : (properties_.*word)().Complement();
    case 'h':
    case 'H': {
      if (folds) break;
      CharSet hex = CharSet::Of('0', '9');
      hex.Add(CharSet::Of('a', 'f'));
      hex.Add(CharSet::Of('A', 'F'));
      return c == 'h' ? hex : hex.Complement();
    }
    default:
      break;
  }
  return RegexLacks(in_.substr(begin, pos - begin));
}

// \x41, \x{1F600} or \u00e9; \u{e9} in fancy-regex.
StatusOr<CharSet> RegexChars::Hex(size_t& pos) const {
  const bool onig = syntax_ == RegexSyntax::kOniguruma;
  const bool four = in_[pos++] == 'u';
  size_t end = pos + (four ? 4 : 2);
  size_t next = end;
  bool brace = false;
  if (At(pos, "{") && !(four && onig)) {
    brace = true;
    end = std::min(in_.find('}', ++pos), in_.size());
    next = end + 1;
  }
  uint32_t c = 0;
  end = std::min(end, in_.size());
  const auto [stop, error] =
      std::from_chars(in_.data() + pos, in_.data() + end, c, 16);
  const bool whole = stop == in_.data() + end && next <= in_.size();
  // Oniguruma takes two digits above 7F for a byte, not a character.
  const bool byte = onig && !four && !brace && c > 0x7f;
  if (error != std::errc() || !whole || byte || c > 0x10ffff) {
    return RegexLacks("that \\x");
  }
  pos = next;
  return CharSet::Of(c, c);
}

StatusOr<CharSet> RegexChars::Property(size_t& pos) {
  bool negated = in_[pos++] == 'P';
  std::string_view name;
  if (At(pos, "{")) {
    ++pos;
    if (At(pos, "^")) {
      negated = !negated;
      ++pos;
    }
    const size_t end = std::min(in_.find('}', pos), in_.size());
    name = in_.substr(pos, end - pos);
    pos = end + 1;
  } else if (syntax_ == RegexSyntax::kFancyRegex && pos < in_.size()) {
    name = in_.substr(pos++, 1);
  }
  const CharSet* const set = properties_.Named(name);
  if (set == nullptr || name.find('\\') != std::string_view::npos ||
      pos > in_.size()) {
    return RegexLacks(fmt::format("\\p{{{}}}", name));
  }
  return negated ? set->Complement() : *set;
}

// [:space:] and its like, inside of a class.
StatusOr<CharSet> RegexChars::Posix(size_t& pos) {
  if (syntax_ == RegexSyntax::kOniguruma) {
    for (const auto& [name, set] :
         {std::pair("[:space:]", &properties_.Spaces()),
          std::pair("[:digit:]", &properties_.Digits()),
          std::pair("[:word:]", &properties_.WordInClass())}) {
      if (!At(pos, name)) continue;
      pos += std::string_view(name).size();
      return *set;
    }
    if (At(pos, "[:punct:]")) {
      pos += 9;
      CharSet set = *properties_.Named("P");
      set.Add(*properties_.Named("S"));
      return set;
    }
  }
  return RegexLacks(in_.substr(pos, in_.find(']', pos) - pos + 1));
}

StatusOr<CharSet> RegexChars::Class(size_t& pos, bool folds) {
  return ClassAt(pos, folds, 0);
}

StatusOr<CharSet> RegexChars::ClassAt(size_t& pos, bool folds, int depth) {
  if (depth > kMaxClassDepth) return RegexLacks("a class that deep");
  const bool negated = At(++pos, "^");
  if (negated) ++pos;
  if (At(pos, "]")) return RegexLacks("a class that begins with ]");
  std::optional<CharSet> all;  // of the operands of && so far
  std::optional<CharSet> operand;
  const auto end_operand = [&] {
    all = all ? all->And(*operand) : *std::exchange(operand, {});
    operand.reset();
  };
  bool first = true;
  while (!At(pos, "]")) {
    if (pos >= in_.size()) return RegexLacks("a class that does not end");
    if (At(pos, "&&")) {
      if (!operand || folds) return RegexLacks("that && in a class");
      end_operand();
      pos += 2;
      continue;
    }
    if (At(pos, "-") && !first && !At(pos + 1, "]")) {
      return RegexLacks("that - in a class");
    }
    if (syntax_ == RegexSyntax::kFancyRegex &&
        (At(pos, "--") || At(pos, "~~"))) {
      return RegexLacks("-- or ~~ in a class");
    }
    first = false;
    if (!operand) operand.emplace();
    if (At(pos, "[")) {
      if (folds) return RegexLacks("a class in a class in (?i:...)");
      PENSTOCK_ASSIGN_OR_RETURN(
          const CharSet inner,
          At(pos, "[:") ? Posix(pos) : ClassAt(pos, folds, depth + 1));
      operand->Add(inner);
    } else {
      PENSTOCK_ASSIGN_OR_RETURN(const CharSet item, ClassItem(pos, folds));
      operand->Add(item);
    }
  }
  ++pos;
  if (!operand) return RegexLacks("&& at the end of a class");
  end_operand();
  return negated ? all->Complement() : *std::move(all);
}

StatusOr<CharSet> RegexChars::OneOf(size_t& pos, bool folds) {
  if (in_[pos] == '\\') {
    return EscapeOr(pos, folds, &RegexProperties::WordInClass);
  }
  const uint32_t c = NextChar(in_, pos);
  return CharSet::Of(c, c);
}

// A character, a range or an escape.
StatusOr<CharSet> RegexChars::ClassItem(size_t& pos, bool folds) {
  const bool is_escape = in_[pos] == '\\';
  PENSTOCK_ASSIGN_OR_RETURN(CharSet set, OneOf(pos, folds));
  if (At(pos, "-") && pos + 1 < in_.size() && in_[pos + 1] != ']') {
    ++pos;
    if (At(pos, "[") || At(pos, "&&") || At(pos, "-")) {
      return RegexLacks("that range");
    }
    PENSTOCK_ASSIGN_OR_RETURN(const CharSet last, OneOf(pos, folds));
    const auto range = CharSet::Between(set, last);
    if (!range) return RegexLacks("that range");
    set = *range;
  }
  if (!folds) return set;
  if (set.IsAscii()) return set.WithBothCases();
  // \s and \d are all that is left of escapes, and have no case.
  const bool caseless =
      is_escape && (set == properties_.Spaces() || set == properties_.Digits());
  if (!caseless) return RegexLacks("that class in (?i:...)");
  return set;
}

}  // namespace penstock
