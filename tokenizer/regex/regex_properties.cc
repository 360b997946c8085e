#include "tokenizer/regex/regex_properties.h"

#include <utility>

#include "tokenizer/regex/regex_scripts.h"
#include "tokenizer/unicode/hf_unicode.h"

namespace penstock {
namespace {

// Long names of General_Category.
constexpr std::pair<std::string_view, std::string_view> kLongNames[] = {
    {"Letter", "L"},
    {"Uppercase_Letter", "Lu"},
    {"Lowercase_Letter", "Ll"},
    {"Titlecase_Letter", "Lt"},
    {"Modifier_Letter", "Lm"},
    {"Other_Letter", "Lo"},
    {"Mark", "M"},
    {"Nonspacing_Mark", "Mn"},
    {"Spacing_Mark", "Mc"},
    {"Enclosing_Mark", "Me"},
    {"Number", "N"},
    {"Decimal_Number", "Nd"},
    {"Letter_Number", "Nl"},
    {"Other_Number", "No"},
    {"Punctuation", "P"},
    {"Symbol", "S"},
    {"Separator", "Z"},
};

// Names that no property has.
constexpr std::string_view kWord = "\\w", kWordInClass = "[\\w]",
                           kSpaces = "\\s";

std::optional<CharSet> Script(std::string_view name) {
  std::optional<CharSet> set;
  for (size_t i = 0; i < kScriptRangeCount; ++i) {
    const ScriptRange& range = kScriptRanges[i];
    if (kScriptNames[range.script] != name) continue;
    if (!set) set.emplace();
    set->Add(CharSet::Of(range.first, range.last));
  }
  return set;
}

CharSet WordOf(RegexSyntax syntax, bool in_class) {
  CharSet word = CharSet::WithBits(hf_unicode::kWord);
  if (syntax == RegexSyntax::kFancyRegex) return word;
  // Oniguruma's has no joiners; outside of classes it has Latin-1's numbers.
  CharSet others = word.Complement();
  others.Add(CharSet::Of(0x200c, 0x200d));
  word = others.Complement();
  if (in_class) return word;
  for (const uint32_t c : {0xb2, 0xb3, 0xb9, 0xbc, 0xbd, 0xbe}) {
    word.Add(CharSet::Of(c, c));
  }
  return word;
}

}  // namespace

std::optional<CharSet> RegexProperties::Make(std::string_view name) const {
  if (name == kWord) return WordOf(syntax_, /*in_class=*/false);
  if (name == kWordInClass) return WordOf(syntax_, /*in_class=*/true);
  if (name == kSpaces) return CharSet::Spaces();
  for (const auto& [long_name, short_name] : kLongNames) {
    if (name == long_name) return CharSet::Category(short_name);
  }
  if (auto category = CharSet::Category(name)) return category;
  return Script(name);
}

const CharSet* RegexProperties::Named(std::string_view name) {
  auto found = known_.find(name);
  if (found == known_.end()) {
    auto made = Make(name);
    if (!made) return nullptr;
    found = known_.emplace(name, *std::move(made)).first;
  }
  return &found->second;
}

const CharSet& RegexProperties::Word() { return *Named(kWord); }
const CharSet& RegexProperties::WordInClass() { return *Named(kWordInClass); }
const CharSet& RegexProperties::Digits() { return *Named("Nd"); }
const CharSet& RegexProperties::Spaces() { return *Named(kSpaces); }

}  // namespace penstock
