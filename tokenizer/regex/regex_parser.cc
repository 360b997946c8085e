#include "tokenizer/regex/regex_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_repeat.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr int kMaxDepth = 50;

struct Flags {
  bool folds = false;    // (?i)
  bool dot_all = false;  // . matches a newline, too
};

RegexNode Group(RegexKind kind, std::vector<RegexNode> children) {
  return {.kind = kind, .children = std::move(children)};
}

class Parser {
 public:
  Parser(std::string_view regex, RegexSyntax syntax)
      : in_(regex),
        syntax_(syntax),
        onig_(syntax == RegexSyntax::kOniguruma),
        chars_(regex, syntax) {}

  StatusOr<ParsedRegex> Run() {
    Flags flags;
    if (in_.starts_with("(?i)")) {
      pos_ = 4;
      flags.folds = true;
    }
    PENSTOCK_ASSIGN_OR_RETURN(parsed_.root, Alternatives(flags, 0));
    if (pos_ < in_.size()) return RegexLacks("a group that does not begin");
    return std::move(parsed_);
  }

 private:
  using NodeOr = StatusOr<RegexNode>;

  bool At(std::string_view text) const {
    return in_.substr(pos_).starts_with(text);
  }
  bool Take(std::string_view text) {
    if (!At(text)) return false;
    pos_ += text.size();
    return true;
  }

  RegexNode Chars(const CharSet& set) {
    auto& sets = parsed_.sets;
    const auto found = std::find(sets.begin(), sets.end(), set);
    const size_t place = found - sets.begin();
    if (found == sets.end()) sets.push_back(set);
    return {.kind = RegexKind::kChars, .set = place};
  }
  RegexNode Newline() { return Chars(CharSet::Of('\n', '\n')); }
  RegexNode Look(RegexKind kind, const CharSet& set) {
    return Group(kind, {Chars(set)});
  }

  NodeOr Alternatives(Flags flags, int depth) {
    if (depth > kMaxDepth) return RegexLacks("a group that deep");
    std::vector<RegexNode> alternatives;
    do {
      PENSTOCK_ASSIGN_OR_RETURN(RegexNode next, Sequence(flags, depth));
      alternatives.push_back(std::move(next));
    } while (Take("|"));
    if (alternatives.size() == 1) return std::move(alternatives[0]);
    return Group(RegexKind::kAlternatives, std::move(alternatives));
  }

  NodeOr Sequence(Flags flags, int depth) {
    folded_before_ = 0;
    std::vector<RegexNode> parts;
    while (pos_ < in_.size() && !At("|") && !At(")")) {
      PENSTOCK_ASSIGN_OR_RETURN(RegexNode atom, Atom(flags, depth));
      PENSTOCK_ASSIGN_OR_RETURN(
          atom, ReadRegexRepeat(std::move(atom), in_, pos_, syntax_));
      parts.push_back(std::move(atom));
    }
    folded_before_ = 0;
    if (parts.size() == 1) return std::move(parts[0]);
    return Group(RegexKind::kSequence, std::move(parts));
  }

  NodeOr Atom(Flags flags, int depth) {
    switch (in_[pos_]) {
      case '(':
        return Open(flags, depth);
      case '[': {
        PENSTOCK_ASSIGN_OR_RETURN(const CharSet set,
                                  chars_.Class(pos_, flags.folds));
        folded_before_ = 0;
        return Chars(set);
      }
      case '*':
      case '+':
      case '?':
        return RegexLacks(fmt::format("{} there", in_[pos_]));
      case '{':
      case '}':
        return RegexLacks("a brace that is not escaped");
      case '^':
        ++pos_;
        return LineBegin();
      case '$':
        ++pos_;
        return LineEnd();
      case '.':
        ++pos_;
        folded_before_ = 0;
        return Chars(flags.dot_all ? CharSet::Of(0, 0x10ffff)
                                   : CharSet::Of('\n', '\n').Complement());
      case '\\':
        return Escape(flags);
      default:
        break;
    }
    const uint32_t c = NextChar(in_, pos_);
    return flags.folds ? Folded(CharSet::Of(c, c)) : Chars(CharSet::Of(c, c));
  }

  NodeOr Escape(Flags flags) {
    if (Take("\\A")) return RegexNode{.kind = RegexKind::kTextBegin};
    if (Take("\\z")) return RegexNode{.kind = RegexKind::kTextEnd};
    if (onig_ && Take("\\Z")) {
      return Group(
          RegexKind::kAhead,
          {Group(
              RegexKind::kSequence,
              {{.kind = RegexKind::kRepeat, .children = {Newline()}, .most = 1},
               {.kind = RegexKind::kTextEnd}})});
    }
    if (Take("\\b")) return WordBorder(RegexKind::kNotAhead, RegexKind::kAhead);
    if (Take("\\B")) return WordBorder(RegexKind::kAhead, RegexKind::kNotAhead);
    PENSTOCK_ASSIGN_OR_RETURN(const CharSet set,
                              chars_.Escape(pos_, flags.folds));
    if (flags.folds && set.IsAscii()) return Folded(set);
    folded_before_ = 0;
    return Chars(set);
  }

  // Behind a word character and, as `after_word` looks, before one; or behind
  // none and, as `after_other` looks, before one.
  RegexNode WordBorder(RegexKind after_word, RegexKind after_other) {
    const CharSet& word = chars_.Word();
    return Group(
        RegexKind::kAlternatives,
        {Group(RegexKind::kSequence,
               {Look(RegexKind::kBehind, word), Look(after_word, word)}),
         Group(RegexKind::kSequence,
               {Look(RegexKind::kNotBehind, word), Look(after_other, word)})});
  }

  // Ruby's ^ and $ are those of lines; no line begins behind the last newline.
  RegexNode LineBegin() {
    const RegexNode text_begin = {.kind = RegexKind::kTextBegin};
    if (!onig_) return text_begin;
    return Group(RegexKind::kAlternatives,
                 {text_begin, Group(RegexKind::kSequence,
                                    {Group(RegexKind::kBehind, {Newline()}),
                                     Group(RegexKind::kNotAhead,
                                           {{.kind = RegexKind::kTextEnd}})})});
  }
  RegexNode LineEnd() {
    const RegexNode text_end = {.kind = RegexKind::kTextEnd};
    if (!onig_) return text_end;
    return Group(RegexKind::kAlternatives,
                 {text_end, Group(RegexKind::kAhead, {Newline()})});
  }

  // One ASCII character under (?i), which two others fold to: U+017F and
  // U+212A. For Oniguruma some pairs of letters are what a ligature or U+00DF
  // folds to.
  NodeOr Folded(const CharSet& one) {
    const uint32_t c = one.ranges()[0].first;
    if (c <= ' ' || c > '~') return RegexLacks("that in (?i:...)");
    const char lower = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    const char pair[2] = {std::exchange(folded_before_, lower), lower};
    constexpr std::string_view kPairs = "ss ff fi fl st";
    if (onig_ && kPairs.find({pair, 2}) != std::string_view::npos) {
      return RegexLacks(
          fmt::format("{} in (?i:...)", std::string_view(pair, 2)));
    }
    return Chars(one.WithBothCases());
  }

  Status TakeName() {
    const size_t end = in_.find('>', pos_);
    if (end == std::string_view::npos || end == pos_)
      return RegexLacks("a group without name");
    for (; pos_ < end; ++pos_) {
      const auto c = static_cast<unsigned char>(in_[pos_]);
      if (c != '_' && !std::isalnum(c)) return RegexLacks("that group's name");
    }
    ++pos_;
    return OkStatus();
  }

  NodeOr Open(Flags flags, int depth) {
    const std::string_view begin = in_.substr(pos_, 4);
    RegexKind kind = RegexKind::kSequence;
    if (Take("(?:")) {
    } else if (Take("(?i:")) {
      flags.folds = true;
    } else if (Take(onig_ ? "(?m:" : "(?s:")) {
      flags.dot_all = true;
    } else if (Take("(?=")) {
      kind = RegexKind::kAhead;
    } else if (Take("(?!")) {
      kind = RegexKind::kNotAhead;
    } else if (Take("(?<=")) {
      kind = RegexKind::kBehind;
    } else if (Take("(?<!")) {
      kind = RegexKind::kNotBehind;
    } else if (Take("(?>")) {
      kind = RegexKind::kAtomic;
    } else if (Take("(?<") || (!onig_ && Take("(?P<"))) {
      PENSTOCK_RETURN_IF_ERROR(TakeName());
    } else if (At("(?") || At("(*")) {
      return RegexLacks(fmt::format("the group {}...", begin));
    } else {
      Take("(");
    }
    PENSTOCK_ASSIGN_OR_RETURN(RegexNode inside, Alternatives(flags, depth + 1));
    if (!Take(")")) return RegexLacks("a group that does not end");
    if (kind == RegexKind::kSequence) return inside;
    if (kind == RegexKind::kBehind || kind == RegexKind::kNotBehind) {
      PENSTOCK_RETURN_IF_ERROR(CheckBehind(inside));
    }
    return Group(kind, {std::move(inside)});
  }

  static Status CheckBehind(const RegexNode& inside) {
    const bool choice = inside.kind == RegexKind::kAlternatives;
    const bool fixed =
        choice ? std::all_of(inside.children.begin(), inside.children.end(),
                             [](const auto& child) {
                               return WidthOf(child).has_value();
                             })
               : WidthOf(inside).has_value();
    if (fixed) return OkStatus();
    return RegexLacks("look-behind of no fixed length");
  }

  const std::string_view in_;
  const RegexSyntax syntax_;
  const bool onig_;
  RegexChars chars_;
  size_t pos_ = 0;
  ParsedRegex parsed_;
  // The letter just before, under (?i); 0: none.
  char folded_before_ = 0;
};

}  // namespace

StatusOr<ParsedRegex> ParseRegex(std::string_view regex, RegexSyntax syntax) {
  if (regex.size() > kMaxRegexBytes) {
    return InvalidArgumentError(fmt::format("it has {} bytes, more than {}",
                                            regex.size(), kMaxRegexBytes));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckUtf8(regex));
  return Parser(regex, syntax).Run();
}

}  // namespace penstock
