#include "tests/tokenizer/every_kind.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "formats/files/file.h"
#include "tests/support/fixtures.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using nlohmann::json;
using Type = SentencePieceModel::Type;

void Add(const std::string& name,
         StatusOr<std::shared_ptr<const Tokenizer>> tokenizer,
         std::vector<NamedTokenizer>& to) {
  EXPECT_THAT(tokenizer, IsOk()) << name;
  if (tokenizer.ok()) to.push_back({name, *std::move(tokenizer)});
}

void AddByteLevel(std::vector<NamedTokenizer>& to) {
  Add("bytes", std::make_shared<ByteTokenizer>(), to);
  for (const char* pattern : {"gpt2", "cl100k_base", "o200k_base"}) {
    Add(pattern,
        ParseTiktoken(TinyTiktoken({"th", "the", " the", "\xe6\x97", "\x97\xa5",
                                    "\xf0\x9f", "\x9f\x98"}),
                      pattern, pattern),
        to);
  }
  json document =
      TinyJson({"th", "the", "Ġthe", "æĹ"}, {"t h", "th e", "Ġ the", "æ Ĺ"});
  document["added_tokens"] = {AddedTokenJson("<x>", 260),
                              AddedTokenJson("é<", 261)};
  Add("byte-level json", ParseTokenizerJson(document.dump(), "t.json"), to);
  // Which ends pieces within characters.
  const json byte_level = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", true},
                           {"use_regex", true}};
  document["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "Punctuation"}, {"behavior", "Contiguous"}},
        byte_level,
        {{"type", "Digits"}, {"individual_digits", false}}}}};
  Add("byte-level json with digits behind",
      ParseTokenizerJson(document.dump(), "t.json"), to);
}

void AddSentencePiece(std::vector<NamedTokenizer>& to) {
  std::vector<TinySentencePiece> models = {
      {},
      {.byte_fallback = true},
      {.type = Type::kBpe, .byte_fallback = true},
      {.type = Type::kWord},
      {.type = Type::kChar, .byte_fallback = true},
      {.add_dummy_prefix = false},
      {.byte_fallback = true, .remove_extra_whitespaces = false},
      {.whitespace_is_suffix = true, .escape_whitespaces = false},
      {.rules = {{"A", "a"}},
       .decoding_rules = {{"a", "A"}, {"ab", "x"}},
       .unknown_surface = "?"}};
  TinySentencePiece halves;  // pieces that are parts of a character
  halves.pieces.push_back({"\xe6\x97", -2});
  halves.pieces.push_back({"\xa5", -2});
  models.push_back(halves);
  for (size_t i = 0; i < models.size(); ++i) {
    Add("sentencepiece " + std::to_string(i), ParseTiny(models[i]), to);
  }
}

// Of which long texts are cut into parts that all threads remember.
void AddCharacterBpe(std::vector<NamedTokenizer>& to) {
  json vocab;
  for (const char* token :
       {"?", "▁", "a", "b", "t", "h", "e", "日", "th", "the", "▁the", "aa"}) {
    vocab[token] = vocab.size();
  }
  const json bars = {
      {"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}};
  json document = {{"version", "1.0"},
                   {"normalizer", bars},
                   {"pre_tokenizer", nullptr},
                   {"model",
                    {{"type", "BPE"},
                     {"vocab", vocab},
                     {"merges", {"t h", "th e", "▁ the", "a a"}},
                     {"unk_token", "?"}}}};
  Add("character BPE", ParseTokenizerJson(document.dump(), "t.json"), to);
  document["normalizer"] = {
      {"type", "Sequence"},
      {"normalizers", {{{"type", "Prepend"}, {"prepend", "▁"}}, bars}}};
  Add("a prefix", ParseTokenizerJson(document.dump(), "t.json"), to);
}

// Decoders of which a later token changes what an earlier one gives.
constexpr const char* kDecoders[] = {
    R"({"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true,
        "use_regex": true})",
    R"({"type": "ByteFallback"})",
    R"({"type": "Sequence", "decoders": [
        {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        {"type": "ByteFallback"}, {"type": "Fuse"},
        {"type": "Strip", "content": " ", "start": 1, "stop": 2}]})",
    R"({"type": "Sequence", "decoders": [
        {"type": "Fuse"},
        {"type": "Replace", "pattern": {"String": "ab日"}, "content": "<>"},
        {"type": "BPEDecoder", "suffix": "a"}]})",
    R"({"type": "Sequence", "decoders": [
        {"type": "Fuse"},
        {"type": "Replace", "pattern": {"Regex": "a+"}, "content": "日"}]})",
    R"({"type": "BPEDecoder", "suffix": "a"})",
    R"({"type": "CTC", "pad_token": "b", "word_delimiter_token": "▁",
        "cleanup": true})",
    R"({"type": "WordPiece", "prefix": "a", "cleanup": true})",
    R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always",
        "split": true})",
    R"({"type": "Strip", "content": "a", "start": 1, "stop": 1})",
};

void AddDecoders(std::vector<NamedTokenizer>& to) {
  json vocab;
  for (const char* token :
       {"[UNK]",  "a",      "b",      "aa",     "ab",    "▁",    "▁a",
        "a▁",     " ",      "  ",     " .",     "日",    "ab日", "n't",
        "Ġ",      "æ",      "Ĺ",      "¥",      "æĹ",    "€",    "<0x61>",
        "<0xE6>", "<0x97>", "<0xA5>", "<0xFF>", "<0xF0>"}) {
    vocab[token] = vocab.size();
  }
  for (const char* decoder : kDecoders) {
    const json document = {
        {"version", "1.0"},
        {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
        {"decoder", json::parse(decoder)},
        {"model",
         {{"type", "WordLevel"}, {"vocab", vocab}, {"unk_token", "[UNK]"}}}};
    Add(decoder, ParseTokenizerJson(document.dump(), "t.json"), to);
  }
  const json vectors = json::parse(
      std::ifstream("tests/tokenizer/files/hf_vectors.json"), nullptr, false);
  for (const json& made : vectors["cases"]) {
    Add(made["name"].get<std::string>(),
        ParseTokenizerJson(made["document"].dump(), "t.json"), to);
  }
}

}  // namespace

const std::vector<NamedTokenizer>& EveryKind() {
  static const auto& all = *[] {
    auto* made = new std::vector<NamedTokenizer>;
    AddByteLevel(*made);
    AddSentencePiece(*made);
    AddCharacterBpe(*made);
    AddDecoders(*made);
    return made;
  }();
  return all;
}

std::vector<NamedTokenizer> FixtureTokenizers() {
  std::vector<NamedTokenizer> all;
  for (const char* name :
       {"gpt2.tokenizer.json", "cl100k_base.tiktoken", "o200k_base.tiktoken",
        "bert-base-uncased.tokenizer.json", "all-minilm-l6-v2.tokenizer.json",
        "sentencepiece-unigram-en.model", "sentencepiece-unigram-ja.model"}) {
    const std::string path = FindFixture(std::string("tokenizers/") + name);
    if (!path.empty()) Add(name, LoadTokenizer(LocalFiles(), path), all);
  }
  return all;
}

}  // namespace penstock::testing
