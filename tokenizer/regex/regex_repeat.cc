#include "tokenizer/regex/regex_repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/regex/regex_chars.h"
#include "tokenizer/regex/regex_facts.h"

namespace penstock {
namespace {

constexpr uint32_t kMaxRepeats = 1000;

class RepeatReader {
 public:
  RepeatReader(std::string_view regex, size_t& pos, RegexSyntax syntax)
      : in_(regex), pos_(pos), onig_(syntax == RegexSyntax::kOniguruma) {}

  // `atom` with what says how often, if that follows.
  StatusOr<RegexNode> Read(RegexNode atom) {
    RegexNode repeat = {.kind = RegexKind::kRepeat};
    bool braces = false;
    const size_t begin = pos_;
    if (Take("*")) {
    } else if (Take("+")) {
      repeat.least = 1;
    } else if (Take("?")) {
      repeat.most = 1;
    } else if (Take("{")) {
      braces = true;
      PENSTOCK_RETURN_IF_ERROR(Counts(repeat));
    } else {
      return atom;
    }
    const std::string_view mark = in_.substr(begin, pos_ - begin);
    // What an engine does after an empty turn is its own affair.
    const bool always_empty = WidthOf(atom) == size_t{0};
    if (CanBeEmpty(atom) && (always_empty || repeat.most != 1)) {
      return RegexLacks(fmt::format("{} behind what may be empty", mark));
    }
    repeat.children.push_back(std::move(atom));
    // Ruby reads {2}? as "twice or not at all".
    if (onig_ && braces && repeat.least == repeat.most && At("?")) {
      return RegexLacks(fmt::format("{}?", mark));
    }
    if (Take("?")) {
      repeat.lazy = true;
    } else if (Take("+")) {
      if (!onig_ || !braces) {
        return NoMore(
            {.kind = RegexKind::kAtomic, .children = {std::move(repeat)}});
      }
      if (CanBeEmpty(repeat)) {
        return RegexLacks(fmt::format("{}+", mark));
      }
      // Ruby reads {1,3}+ as any number of such.
      repeat = {.kind = RegexKind::kRepeat,
                .children = {std::move(repeat)},
                .least = 1};
    }
    return NoMore(std::move(repeat));
  }

 private:
  StatusOr<RegexNode> NoMore(RegexNode node) const {
    if (pos_ == in_.size() ||
        std::string_view("*+?{").find(in_[pos_]) == std::string_view::npos) {
      return node;
    }
    return RegexLacks("repetition of repetition without a group");
  }

  // {2}, {2,}, {2,3}; {,3} for Oniguruma.
  Status Counts(RegexNode& repeat) {
    const auto number = [this](uint32_t& n) {
      const auto [stop, error] =
          std::from_chars(in_.data() + pos_, in_.data() + in_.size(), n);
      const bool found = error == std::errc();
      if (found) pos_ = stop - in_.data();
      return found;
    };
    uint32_t most = 0;
    const bool has_least = number(repeat.least);
    const bool comma = Take(",");
    const bool has_most = comma && number(most);
    if (has_most) repeat.most = most;
    if (!comma) repeat.most = repeat.least;
    const bool known = has_least || (onig_ && has_most);
    if (!Take("}") || !known ||
        repeat.most.value_or(repeat.least) < repeat.least ||
        std::max(repeat.least, repeat.most.value_or(1)) > kMaxRepeats ||
        repeat.most == 0) {
      return RegexLacks("a brace that is not escaped, or such numbers in it,");
    }
    return OkStatus();
  }

  bool At(std::string_view text) const {
    return in_.substr(pos_).starts_with(text);
  }
  bool Take(std::string_view text) {
    if (!At(text)) return false;
    pos_ += text.size();
    return true;
  }

  const std::string_view in_;
  size_t& pos_;
  const bool onig_;
};

}  // namespace

StatusOr<RegexNode> ReadRegexRepeat(RegexNode atom, std::string_view regex,
                                    size_t& pos, RegexSyntax syntax) {
  return RepeatReader(regex, pos, syntax).Read(std::move(atom));
}

}  // namespace penstock
