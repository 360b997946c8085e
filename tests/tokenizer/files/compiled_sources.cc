#include "tests/tokenizer/files/compiled_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/interface/encoding.h"
#include "tokenizer/interface/sampling.h"

namespace penstock::testing {
namespace {

using nlohmann::json;

const std::vector<std::string> kTokens = {
    "th",       "the",      " the",
    "in",       "ing",      " in",
    "\xe6\x97", "\x97\xa5", "thethethethethe",
    "ab",       "cd",       "abcd",
    "a\xcc\x81"};

json SmallJson() {
  json document = TinyJson(
      {"th", "the", "Ġthe", "æĹ", "in", "ing", "Ġin", "thein"},
      {"t h", "th e", "Ġ the", "æ Ĺ", "i n", "in g", "Ġ in", "the in"});
  document["added_tokens"] = {AddedTokenJson("<x>", 264),
                              AddedTokenJson("é<", 265)};
  return document;
}

// Every kind of pre-tokenizer that byte-level BPE has, one behind the other.
json CutInTurnsJson() {
  json document = SmallJson();
  json byte_level = document["pre_tokenizer"];
  byte_level["use_regex"] = true;
  const auto split = [](const char* regex, const char* behaviour) {
    return json{{"type", "Split"},
                {"pattern", {{"Regex", regex}}},
                {"behavior", behaviour},
                {"invert", behaviour == std::string_view("Removed")}};
  };
  document["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {split("[a-m]+", "Isolated"),
        split("[^_]+", "Removed"),
        {{"type", "Digits"}, {"individual_digits", false}},
        {{"type", "Digits"}, {"individual_digits", true}},
        byte_level}}};
  return document;
}

// One with all that stands around a text.
json FramedJson() {
  json document = SmallJson();
  document["normalizer"] = {{"type", "NFC"}};
  document["model"]["ignore_merges"] = true;
  document["model"]["dropout"] = 0.3;
  document["model"]["vocab"]["not of bytes \u65e5"] = 264;
  // Their ids become 265 and 266, of which there are warnings.
  document["truncation"] = {{"direction", "Left"},
                            {"max_length", 24},
                            {"strategy", "OnlyFirst"},
                            {"stride", 2}};
  document["padding"] = {{"strategy", {{"Fixed", 9}}}, {"direction", "Left"},
                         {"pad_to_multiple_of", 4},    {"pad_id", 1},
                         {"pad_type_id", 3},           {"pad_token", "<pad>"}};
  const json token = {{"SpecialToken", {{"id", "<x>"}, {"type_id", 2}}}};
  const json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  const json other = {{"Sequence", {{"id", "B"}, {"type_id", 1}}}};
  document["post_processor"] = {
      {"type", "Sequence"},
      {"processors",
       {{{"type", "ByteLevel"},
         {"add_prefix_space", true},
         {"trim_offsets", true},
         {"use_regex", true}},
        {{"type", "TemplateProcessing"},
         {"single", {token, text}},
         {"pair", {token, text, token, other}},
         {"special_tokens",
          {{"<x>", {{"id", "<x>"}, {"ids", {265}}, {"tokens", {"<x>"}}}}}}}}}};
  return document;
}

// Cut on the left, where texts begin with spaces; with texts around that the
// vocabulary does not have.
json TrimmedJson() {
  json document = SmallJson();
  document["truncation"] = {{"direction", "Left"},
                            {"max_length", 8},
                            {"strategy", "LongestFirst"},
                            {"stride", 0}};
  document["post_processor"] = {{"type", "Sequence"},
                                {"processors",
                                 {{{"type", "BertProcessing"},
                                   {"cls", {"<cls>", 97}},
                                   {"sep", {"<sep>", 98}}},
                                  {{"type", "ByteLevel"},
                                   {"add_prefix_space", true},
                                   {"trim_offsets", true}}}}};
  return document;
}

// Components around a model; with options that byte-level BPE does not take.
json ComponentsJson(json model) {
  return {
      {"version", "1.0"},
      {"added_tokens", {AddedTokenJson("<x>", 0), AddedTokenJson("e<", 90)}},
      {"normalizer", {{"type", "Lowercase"}}},
      {"pre_tokenizer", {{"type", "Whitespace"}}},
      {"decoder", {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}}},
      {"truncation",
       {{"direction", "Right"},
        {"max_length", 20},
        {"strategy", "LongestFirst"},
        {"stride", 1}}},
      {"model", std::move(model)}};
}

json NumberedTokens(const std::vector<std::string>& tokens) {
  json numbered = json::object();
  for (const std::string& token : tokens) numbered[token] = numbered.size();
  return numbered;
}

std::vector<json> ComponentModels() {
  json scores = json::array();
  double score = 0;
  for (const char* token : {"<x>", "th", "the", "e", "t", "h", "i", "n", "in",
                            "ing", "<0xC3>", "<0xA9>"}) {
    scores.push_back({token, score -= 0.7});
  }
  const json vocab = NumberedTokens({"<x>", "t", "h", "e", "i", "n", "g", "th",
                                     "the", "##h", "##he", "##e", "##in", "in",
                                     "<0xC3>", "<0xA9>", "e</w>", "the</w>"});
  return {
      {{"type", "WordPiece"},
       {"unk_token", "<x>"},
       {"continuing_subword_prefix", "##"},
       {"max_input_chars_per_word", 9},
       {"vocab", vocab}},
      {{"type", "WordLevel"}, {"unk_token", "<x>"}, {"vocab", vocab}},
      {{"type", "Unigram"},
       {"unk_id", 0},
       {"byte_fallback", true},
       {"vocab", scores}},
      {{"type", "BPE"},
       {"dropout", 0.2},
       {"unk_token", "<x>"},
       {"continuing_subword_prefix", nullptr},
       {"end_of_word_suffix", "</w>"},
       {"fuse_unk", true},
       {"byte_fallback", true},
       {"ignore_merges", false},
       {"vocab", vocab},
       {"merges",
        json::array({{"t", "h"}, {"th", "e"}, {"i", "n"}, {"th", "e</w>"}})}},
      // Older than the field "type".
      {{"unk_token", "<x>"},
       {"vocab", vocab},
       {"merges", {"t h", "th e", "i n"}}}};
}

json SmallTekken() {
  json vocab = json::array();
  std::istringstream lines(TinyTiktoken({"ab", " ab", "th", "the"}));
  for (std::string base64, rank; lines >> base64 >> rank;) {
    vocab.push_back({{"rank", std::stoi(rank)},
                     {"token_bytes", base64},
                     {"token_str", nullptr}});
  }
  return {{"config",
           {{"pattern", R"([\p{L}]+|[^\p{L}]+)"},
            {"num_vocab_tokens", 260},
            {"default_vocab_size", 282},
            {"default_num_special_tokens", 22},
            {"version", "v3"}}},
          {"vocab", vocab}};
}

std::vector<TinySentencePiece> SentencePieceModels() {
  using Type = SentencePieceModel::Type;
  const std::vector<TinyPiece> pieces = {
      {"<unk>", 0, SentencePiece::Type::kUnknown},
      {"<s>", 0, SentencePiece::Type::kControl},
      {"th", -1},
      {"the", -2},
      {"ing", -3},
      {"i", -4},
      {"in", -5, SentencePiece::Type::kUnused},
      {"e", -5.5},
      {"<a>", 0, SentencePiece::Type::kUserDefined},
      {"\xe2\x96\x81the", -6},
      {"\xe2\x96\x81", -7}};
  const Rules rules = {{"\xcc\x81", ""}, {"ab", "the"}, {"1", "i"}};
  std::vector<TinySentencePiece> models;
  for (const Type type :
       {Type::kUnigram, Type::kBpe, Type::kWord, Type::kChar}) {
    models.push_back({.type = type});
    models.push_back({.type = type,
                      .byte_fallback = true,
                      .rules = rules,
                      .pieces = pieces});
    models.push_back({.type = type,
                      .whitespace_is_suffix = true,
                      .remove_extra_whitespaces = false,
                      .escape_whitespaces = false,
                      .decoding_rules = rules,
                      .unknown_surface = "?!",
                      .pieces = pieces});
  }
  return models;
}

}  // namespace

const std::vector<CompiledSourceCase>& CompiledSourceCases() {
  static const auto& cases = *[] {
    const std::string ranks = TinyTiktoken(kTokens);
    auto* made = new std::vector<CompiledSourceCase>{
        {"gpt2.tiktoken", ranks},
        {"cl100k_base.tiktoken", ranks},
        {"o200k_base.tiktoken", ranks},
        {"my.tiktoken", ranks, {.pattern = "qwen2"}},
        {"kimi.tiktoken", ranks, {.pattern = "kimi-k2"}},
        {"tokenizer.model", ranks, {.pattern = "llama-3"}},
        {"regex.tiktoken",
         ranks,
         {.pattern_regex = R"(\p{L}+|\d)",
          .special_tokens = {{"<a>", 300}, {"<ab>", 301, false}}}},
        {"tekken.json", SmallTekken().dump()},
        {"tokenizer.json", SmallJson().dump()},
        {"turns.json", CutInTurnsJson().dump()},
        {"framed.json", FramedJson().dump()},
        {"trimmed.json", TrimmedJson().dump()},
        {"bare.json", FramedJson().dump(), {.truncation = false}},
        {"bare.json",
         FramedJson().dump(),
         {.truncation = false, .padding = false}},
    };
    for (const json& model : ComponentModels()) {
      made->push_back({"components.json", ComponentsJson(model).dump()});
    }
    made->push_back({"components.json",
                     ComponentsJson(ComponentModels()[0]).dump(),
                     {.truncation = false}});
    for (const bool keep_case : {false, true}) {
      made->push_back({"vocab.txt",
                       "[UNK]\n[CLS]\n[SEP]\nthe\nThe \nth\n##in\n##g\nthe\n",
                       {.keep_case = keep_case}});
    }
    made->push_back({"vocab.json",
                     R"({"t": 0, "h": 1, "e": 2, "th": 3, "the": 4, "Ġ": 5})",
                     {},
                     "#version: 0.2\nt h\nth e\n"});
    for (const TinySentencePiece& model : SentencePieceModels()) {
      made->push_back({"my.model", model.Bytes()});
    }
    made->push_back({"my.model",
                     TinySentencePiece().Bytes(),
                     {.unigram_rules = UnigramRules::kUntil021}});
    return made;
  }();
  return cases;
}

std::string Portrait(const Tokenizer& tokenizer) {
  std::string seen =
      fmt::format("{} {:x} {}\n", tokenizer.Describe(), tokenizer.Fingerprint(),
                  tokenizer.vocabulary_size());
  for (TokenId id = 0; id < tokenizer.vocabulary_size(); ++id) {
    const auto token = tokenizer.TokenOf(id);
    if (!token) continue;
    std::string text;
    const Status decoded = tokenizer.Decode({&id, 1}, {}, text);
    seen += fmt::format("{} {} {} {} {}\n", id, *token,
                        tokenizer.IdOf(*token).value_or(~TokenId{0}), text,
                        decoded.ToString());
  }
  for (const std::string_view text :
       {"", "the thing in there", "thethethethethethethetheabcdab", "<x>é<<a>",
        "a\xcc\x81\xe6\x97\xa5\xe6\x97\xff", "12 ab  \n\nabcdthe<|endoftext|>",
        "ththeinginthingtheinabcdabthethethethethetheab<ab> the"}) {
    for (const bool added : {false, true}) {
      std::vector<TokenId> ids, drawn;
      std::vector<TokenOrigin> origins;
      const EncodeOptions options = {.add_special_tokens = added};
      seen += tokenizer.Encode(text, options, ids).ToString();
      seen +=
          tokenizer.EncodeSampled(text, options, {.seed = 5}, drawn).ToString();
      seen += fmt::format(" {} {}", ids, drawn);
      ids.clear();
      seen +=
          tokenizer.EncodeWithOrigins(text, options, ids, origins).ToString();
      for (const TokenOrigin& origin : origins) {
        seen += fmt::format(" {}-{}", origin.begin_byte, origin.end_byte);
      }
      std::string decoded;
      seen += tokenizer.Decode(ids, {}, decoded).ToString();
      seen += fmt::format(" {} {}\n", ids, decoded);
    }
    std::vector<ScoredIds> best;
    seen += tokenizer.EncodeBest(text, {}, 3, best).ToString();
    for (const ScoredIds& way : best) {
      seen += fmt::format(" {} {}", way.score, way.ids);
    }
  }
  const auto pair = EncodeFully(
      tokenizer, TextPair{"the thing in x y", "abcd then the thing"});
  if (!pair.ok()) return seen + pair.status().ToString();
  seen +=
      fmt::format("{} {} {} {} {}", pair->ids, pair->type_ids, pair->attention,
                  pair->sequences, pair->overflowing.size());
  for (size_t i = 0; i < pair->size(); ++i) {
    seen += fmt::format(" {} {}-{}", pair->TextOf(tokenizer, i),
                        pair->origins[i].begin_byte, pair->origins[i].end_byte);
  }
  return seen;
}

void MakeOld(const std::string& path) {
  std::filesystem::last_write_time(
      path, std::filesystem::last_write_time(path) - std::chrono::hours(1));
}

StatusOr<std::unique_ptr<ReadableFile>> WatchedFiles::OpenForRead(
    const std::string& path) {
  opened_.push_back(path);
  return under().OpenForRead(path);
}

StatusOr<std::unique_ptr<WritableFile>> WatchedFiles::OpenForWrite(
    const std::string& path) {
  if (path.starts_with(read_only_))
    return Status(StatusCode::kPermissionDenied, path);
  return under().OpenForWrite(path);
}

bool WatchedFiles::HasRead(const std::string& ending) {
  const auto opened = std::exchange(opened_, {});
  return std::ranges::any_of(
      opened, [&](const auto& path) { return path.ends_with(ending); });
}

}  // namespace penstock::testing
