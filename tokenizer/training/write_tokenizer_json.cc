#include "tokenizer/training/write_tokenizer_json.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <memory>

#include "tokenizer/patterns/patterns.h"

namespace penstock {
namespace {

// As serde_json has it: only what JSON demands is escaped.
std::string Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    constexpr std::string_view kNamed = "\"\\\b\f\n\r\t";
    constexpr std::string_view kNames = "\"\\bfnrt";
    if (const size_t i = kNamed.find(c); i != std::string_view::npos) {
      quoted += '\\';
      quoted += kNames[i];
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", c);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string AddedTokens(const LearnedBpe& learned) {
  if (learned.special_tokens == 0) return "[]";
  std::string json = "[";
  for (size_t id = 0; id < learned.special_tokens; ++id) {
    json += fmt::format(R"({}
    {{
      "id": {},
      "content": {},
      "single_word": false,
      "lstrip": false,
      "rstrip": false,
      "normalized": false,
      "special": true
    }})",
                        id == 0 ? "" : ",", id, Quote(learned.tokens[id]));
  }
  return json + "\n  ]";
}

std::string PreTokenizerJson(std::string_view regex) {
  if (regex == RegexByName("gpt2")) {
    return R"({
    "type": "ByteLevel",
    "add_prefix_space": false,
    "trim_offsets": true,
    "use_regex": true
  })";
  }
  return fmt::format(R"({{
    "type": "Sequence",
    "pretokenizers": [
      {{
        "type": "Split",
        "pattern": {{
          "Regex": {}
        }},
        "behavior": "Isolated",
        "invert": false
      }},
      {{
        "type": "ByteLevel",
        "add_prefix_space": false,
        "trim_offsets": true,
        "use_regex": false
      }}
    ]
  }})",
                     Quote(regex));
}

std::string Vocab(const LearnedBpe& learned) {
  std::string json = "{";
  for (size_t id = 0; id < learned.tokens.size(); ++id) {
    fmt::format_to(std::back_inserter(json), "{}\n      {}: {}",
                   id == 0 ? "" : ",", Quote(learned.tokens[id]), id);
  }
  return json + "\n    }";
}

std::string Merges(const LearnedBpe& learned) {
  if (learned.merges.empty()) return "[]";
  std::string json = "[";
  for (size_t rank = 0; rank < learned.merges.size(); ++rank) {
    const auto [left, right] = learned.merges[rank];
    fmt::format_to(std::back_inserter(json),
                   "{}\n      [\n        {},\n        {}\n      ]",
                   rank == 0 ? "" : ",", Quote(learned.tokens[left]),
                   Quote(learned.tokens[right]));
  }
  return json + "\n    ]";
}

}  // namespace

std::string TokenizerJson(const LearnedBpe& learned, std::string_view regex) {
  return fmt::format(
      R"({{
  "version": "1.0",
  "truncation": null,
  "padding": null,
  "added_tokens": {},
  "normalizer": null,
  "pre_tokenizer": {},
  "post_processor": null,
  "decoder": {{
    "type": "ByteLevel",
    "add_prefix_space": true,
    "trim_offsets": true,
    "use_regex": true
  }},
  "model": {{
    "type": "BPE",
    "dropout": null,
    "unk_token": null,
    "continuing_subword_prefix": null,
    "end_of_word_suffix": null,
    "fuse_unk": false,
    "byte_fallback": false,
    "ignore_merges": false,
    "vocab": {},
    "merges": {}
  }}
}})",
      AddedTokens(learned), PreTokenizerJson(regex), Vocab(learned),
      Merges(learned));
}

}  // namespace penstock
