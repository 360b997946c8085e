#include "tests/tokenizer/components/space_kinds.h"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/status_matchers.h"
#include "tests/tokenizer/components/words.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock::testing {
namespace {

using nlohmann::json;
using Kind = SpaceKind;

json Precompiled(const Rules& rules) {
  return {{"type", "Precompiled"},
          {"precompiled_charsmap", Base64(TinyCharsmap(rules))}};
}

json Sequence(const char* field, std::vector<json> steps) {
  return {{"type", "Sequence"}, {field, steps}};
}

json Replace(const char* kind, const char* pattern, const char* content) {
  return {{"type", "Replace"},
          {"pattern", {{kind, pattern}}},
          {"content", content}};
}

// A line feed becomes a space, some characters nothing, some two.
json SomePrecompiled() {
  return Precompiled({{"\n", " "},
                      {"\u200b", ""},
                      {"\ufb01", "fi"},
                      {"e\u0301", "\u00e9"},
                      {"\u3042", " \u30a2"},
                      {"A", "a "}});
}

// More than 64 bytes.
constexpr std::string_view kLong =
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";

const json kJoins = Replace("Regex", " {2,}", " ");

json Metaspace() {
  return {{"type", "Metaspace"},
          {"replacement", "\u2581"},
          {"prepend_scheme", "always"},
          {"split", true}};
}

// Each character a piece, some of them two.
json UnigramOfParts() {
  json vocabulary = json::array({json::array({"<unk>", 0})});
  for (const char* piece :
       {"\u2581", "a", "b", "f", "i", "\u00e9", "e", "\u65e5", "\u2581a", "ab",
        "\u2581\u2581", "`", "\n", " ", "\u30a2"}) {
    const double score = -1.0 - 0.1 * static_cast<double>(vocabulary.size());
    vocabulary.push_back(json::array({piece, score}));
  }
  return {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", vocabulary}};
}

// The characters of UnigramOfParts, and merges beside another.
json BpeOfParts(const char* left = "a", const char* right = "b") {
  json vocabulary = json::object();
  const auto add = [&](const std::string& token) {
    vocabulary.emplace(token, vocabulary.size());
  };
  for (const char* token : {"<unk>", "\u2581", "a", "b", "f", "i", "\u00e9",
                            "e", "\u65e5", "`", "\n", " ", "\u30a2"}) {
    add(token);
  }
  json merges = json::array();
  const auto merge = [&](const std::string& one, const std::string& other) {
    if (vocabulary.contains(one + other)) return;
    merges.push_back(json::array({one, other}));
    add(one + other);
  };
  merge("a", "b");
  merge("\u2581", "a");
  merge("\u2581", "ab");
  merge("\u2581", "\u2581");
  merge("\n", "\n");
  merge(left, right);
  return {{"type", "BPE"},
          {"unk_token", "<unk>"},
          {"vocab", vocabulary},
          {"merges", merges}};
}

json MatchesOf(const char* regex, const char* behavior, bool invert) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", regex}}},
          {"behavior", behavior},
          {"invert", invert}};
}

// Looked for in normalized text.
json NormalizedToken(const char* content, TokenId id, bool special) {
  json token = AddedTokenJson(content, id);
  token["normalized"] = true;
  token["special"] = special;
  return token;
}

std::vector<Kind> Kinds() {
  const json whitespace = {{"type", "WhitespaceSplit"}};
  const json both = Sequence("pretokenizers", {whitespace, Metaspace()});
  const json map = SomePrecompiled();
  const json albert = Sequence("normalizers", {Replace("String", "``", "ab"),
                                               {{"type", "NFKD"}},
                                               {{"type", "StripAccents"}},
                                               {{"type", "Lowercase"}},
                                               map});
  json first = Metaspace();
  first["prepend_scheme"] = "first";
  json whole = Metaspace();
  // As transformers writes them.
  const json right = {
      {"type", "Strip"}, {"strip_left", false}, {"strip_right", true}};
  json left = right, strip = right;
  left["strip_left"] = strip["strip_left"] = true;
  left["strip_right"] = false;
  const json bars = Replace("Regex", " {2,}", "\u2581");
  whole["split"] = false;
  return {
      {nullptr, Metaspace(), true},
      {nullptr, whitespace, true},
      {map, Metaspace(), true},
      {map, both, true},
      {map, whitespace, true},
      {Sequence("normalizers", {map, kJoins}), Metaspace(), true},
      {Sequence("normalizers", {kJoins, map, kJoins}), both, true},
      {albert, Metaspace(), true},
      {{{"type", "NFC"}}, Metaspace(), true},
      {Sequence("normalizers", {{{"type", "Nmt"}}, {{"type", "NFKC"}}, kJoins}),
       Metaspace(), true},
      {{{"type", "Lowercase"}},
       {{"type", "CharDelimiterSplit"}, {"delimiter", " "}},
       true},
      {Sequence("normalizers", {map, right, bars}), Metaspace(), true},
      {Sequence("normalizers", {map, right, bars}), first, true},
      {map, first, true},
      {nullptr, first, true},
      {Sequence("normalizers", {bars, map}), Metaspace(), false},
      {Sequence("normalizers", {map, right, bars}), both, false},
      {{{"type", "Prepend"}, {"prepend", "a"}}, Metaspace(), true},
      {Sequence("normalizers",
                {{{"type", "Prepend"}, {"prepend", " "}}, map, kJoins}),
       Metaspace(), true},
      // What is before a space may become one, or nothing.
      {Sequence("normalizers", {Replace("String", "``", " "), kJoins}),
       Metaspace(), true},
      {Sequence("normalizers", {{{"type", "StripAccents"}}, kJoins}),
       Metaspace(), true},
      {Precompiled({{"\n", "a"}}), Metaspace(), true},
      // A space, or what begins with one, may become something else.
      {Precompiled({{" ", "a"}}), Metaspace(), false},
      {Precompiled({{" \u0301", "b"}}), Metaspace(), false},
      {Replace("String", "i", kLong.data()), Metaspace(), false},
      {Replace("String", "a b", "a"), Metaspace(), false},
      {Replace("String", " e", "b"), Metaspace(), false},
      {Replace("Regex", " b", "a"), Metaspace(), false},
      {Replace("Regex", " {2,}", "ab"), Metaspace(), false},
      // DeBERTa's.
      {Sequence("normalizers", {strip, map, kJoins}), Metaspace(), true},
      {Sequence("normalizers", {{{"type", "Lowercase"}}, strip}), first, true},
      {Sequence("normalizers", {map, left}), whitespace, true},
      {Sequence("normalizers",
                {left, {{"type", "Prepend"}, {"prepend", "a"}}, strip}),
       both, true},
      {Sequence("normalizers", {bars, {{"type", "Prepend"}, {"prepend", "a"}}}),
       Metaspace(), false},
      {map, whole, false},
      // Each part could become as much as a text may.
      {Precompiled({{"\u3042", kLong}}), Metaspace(), false},
  };
}

// Text is one piece, as in files of Gemma and Mistral, and cut where the model
// joins nothing.
std::vector<Kind> JoinedKinds() {
  const json bars = Replace("String", " ", "\u2581");
  json split = {{"type", "Split"},
                {"pattern", {{"String", " "}}},
                {"behavior", "MergedWithPrevious"},
                {"invert", false}};
  json inverted = split;
  inverted["invert"] = true;
  json metaspace = Metaspace();
  metaspace["split"] = false;
  json first = metaspace;
  first["prepend_scheme"] = "first";
  json whole = BpeOfParts();
  whole["ignore_merges"] = true;
  json fused = BpeOfParts();
  fused["fuse_unk"] = true;
  const json prepend = Sequence(
      "normalizers", {{{"type", "Prepend"}, {"prepend", "\u2581"}}, bars});
  return {
      {bars, split, true, BpeOfParts()},
      {bars, nullptr, true, BpeOfParts()},
      {nullptr, nullptr, true, BpeOfParts()},
      {nullptr, split, true, BpeOfParts()},
      {nullptr, metaspace, true, BpeOfParts()},
      {nullptr, first, true, BpeOfParts()},
      {SomePrecompiled(), first, true, BpeOfParts()},
      {Sequence("normalizers", {SomePrecompiled(), kJoins}), metaspace, true,
       BpeOfParts()},
      {Replace("Regex", " {2,}", "\u2581"), split, true, BpeOfParts()},
      {prepend, nullptr, true, BpeOfParts()},
      {{{"type", "Prepend"}, {"prepend", "ab"}}, split, true, BpeOfParts()},
      // Merges reach over.
      {bars, inverted, false, BpeOfParts()},
      {bars, split, false, BpeOfParts("b", "\u2581")},
      {nullptr, split, false, BpeOfParts("b", " ")},
      {Replace("Regex", " {2,}", "\u2581"), nullptr, false,
       BpeOfParts("b", " ")},
      {nullptr, metaspace, false, BpeOfParts("ab", "\u2581a")},
      {bars, split, false, whole},
      {bars, split, false, fused},
      {bars, split, false, UnigramOfParts()},
      {Replace("String", " ", "ab"), split, false, BpeOfParts()},
      {Replace("String", " ", ""), split, false, BpeOfParts()},
      {Replace("String", " ", "b"), metaspace, false, BpeOfParts()},
  };
}

const char* const kParts[] = {
    " ",      " ",   " ",  "  ",     "\n",      "\n",     "\r\n",   "\t",
    "a",      "b",   "ab", "A",      "e\u0301", "e",      "\u0301", "\u200b",
    "\ufb01", "`",   "``", "\u3042", "\u65e5",  "\u00a0", "\u0600", "\uac00",
    "\u11a8", "[X]", "i",  "\u200d", "\u2581",  "\u3000"};

}  // namespace

std::vector<SpaceKind> MatchedSpaceKinds() {
  const json clip = Sequence("normalizers", {{{"type", "NFC"}},
                                             Replace("Regex", "\\s+", " "),
                                             {{"type", "Lowercase"}}});
  const json bytes = {{"type", "ByteLevel"},
                      {"add_prefix_space", false},
                      {"trim_offsets", true},
                      {"use_regex", true}};
  constexpr char kWords[] = "`e|\\p{L}+|\\p{N}|[^\\s\\p{L}\\p{N}]+";
  const auto matches = [&](const char* regex) {
    return Sequence("pretokenizers",
                    {MatchesOf(regex, "Removed", true), bytes});
  };
  const json model = UnigramOfParts();
  const json special = NormalizedToken("AB`", 40, true);
  const json plain = NormalizedToken("i`", 41, false);
  json strips = plain;
  strips["lstrip"] = true;
  json alone = plain;
  alone["single_word"] = true;
  const json quoted = NormalizedToken("a`b", 42, false);
  const json bar = NormalizedToken("a\u2581b", 42, false);
  return {
      {clip, matches(kWords), true},
      {clip, matches(kWords), true, model, {special}},
      {clip, matches(kWords), true, model, {plain, special}},
      {clip, matches(kWords), true, model, {alone}},
      {nullptr, matches("[^ ]+"), true, model, {bar}},
      {Replace("Regex", "\\s+", "i"), matches(kWords), false},
      {Replace("Regex", "\\s+", ""), matches(kWords), false},
      {clip, matches(kWords), false, model, {strips}},
      {clip, matches(kWords), false, model, {NormalizedToken("a b", 40, true)}},
      {clip, matches("[^a]+"), false},
      {clip, matches("b(?= a)|a"), false},
      {clip, matches("ab$"), false},
      {clip, MatchesOf(kWords, "Isolated", false), false},
      {clip, MatchesOf(kWords, "Removed", false), false},
      {clip, MatchesOf(kWords, "Isolated", true), false},
      {Replace("Regex", "\\s+", " "), Metaspace(), true},
      {{{"type", "Prepend"}, {"prepend", "b"}},
       Metaspace(),
       true,
       model,
       {NormalizedToken("`", 41, true)}},
      // BERT's components end words at punctuation, which the token has.
      {nullptr, {{"type", "BertPreTokenizer"}}, true, model, {quoted}},
      // A token may reach over what becomes a bar.
      {Replace("Regex", " {2,}", "\u2581"), Metaspace(), false, model, {plain}},
      {Replace("String", " ", "\u2581"), Metaspace(), false, model, {bar}},
  };
}

std::vector<SpaceKind> SpaceKinds() {
  std::vector<Kind> kinds = Kinds();
  for (const Kind& kind : JoinedKinds()) kinds.push_back(kind);
  for (const Kind& kind : MatchedSpaceKinds()) kinds.push_back(kind);
  return kinds;
}

std::shared_ptr<const Tokenizer> MakeSpaceKind(const SpaceKind& kind) {
  json document = WordsWith("/normalizer", kind.normalizer);
  document["pre_tokenizer"] = kind.splitter;
  document["model"] = kind.model.is_null() ? UnigramOfParts() : kind.model;
  for (const json& token : kind.added)
    document["added_tokens"].push_back(token);
  const auto tokenizer = ParseWords(document);
  EXPECT_OK(tokenizer) << document;
  return *tokenizer;
}

std::string DrawSpacedText(std::mt19937& random) {
  std::vector<std::string_view> parts;
  const size_t kinds = 3 + random() % 12;
  while (parts.size() < kinds) {
    parts.push_back(kParts[random() % std::size(kParts)]);
  }
  std::string text;
  const size_t size = random() % 150;
  while (text.size() < size) text += parts[random() % parts.size()];
  return text;
}

}  // namespace penstock::testing
