#include "tokenizer/files/tekken_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <charconv>
#include <set>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/patterns/regex_pretokenizer.h"
#include "tokenizer/unicode/base64.h"

namespace penstock {
namespace {

// Of files of version 7 or less that list none.
constexpr std::string_view kOldSpecials[] = {
    "<unk>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
    "[PREFIX]",
    "[MIDDLE]",
    "[SUFFIX]",
    "[SYSTEM_PROMPT]",
    "[/SYSTEM_PROMPT]",
    "[TOOL_CONTENT]",
};

// "v13" is 13.
StatusOr<int> ReadVersion(const JsonObject& config) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text,
                            config.String("version"));
  int version = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with('v') || text.size() == 1 ||
      std::from_chars(text.data() + 1, end, version).ptr != end) {
    return UnimplementedError(fmt::format("version \"{}\"", text));
  }
  return version;
}

StatusOr<std::vector<std::string>> ReadSpecialTexts(const JsonObject& root,
                                                    int version) {
  std::vector<std::string> texts;
  if (!root.Field("special_tokens")) {
    if (version > 7) {
      return DataLossError("special_tokens are missing, of a version above v7");
    }
    texts.assign(std::begin(kOldSpecials), std::end(kOldSpecials));
    return texts;
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto tokens, root.Array("special_tokens"));
  for (const simdjson::dom::element element : tokens) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const JsonObject token,
        JsonObject::Of(element,
                       fmt::format("special_tokens[{}]", texts.size())));
    PENSTOCK_ASSIGN_OR_RETURN(const uint64_t rank, token.Number("rank"));
    if (rank != texts.size()) {
      return DataLossError(fmt::format("{}: rank {}", token.where(), rank));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text,
                              token.String("token_str"));
    texts.emplace_back(text);
  }
  return texts;
}

Status AddSpecials(std::vector<std::string> texts, uint64_t count,
                   BpeParts& parts) {
  if (texts.size() > count) {
    return DataLossError(fmt::format(
        "{} special tokens, but config.default_num_special_tokens is {}",
        texts.size(), count));
  }
  std::set<std::string> seen;
  for (uint64_t id = 0; id < count; ++id) {
    if (id == texts.size()) texts.push_back(fmt::format("<SPECIAL_{}>", id));
    if (texts[id].empty() || !seen.insert(texts[id]).second) {
      return DataLossError(fmt::format(
          "special token {}, \"{}\", is empty or given twice", id, texts[id]));
    }
    parts.specials.push_back(
        {.text = texts[id], .id = static_cast<TokenId>(id), .in_text = false});
  }
  return OkStatus();
}

// The tokens of the first `count` ranks.
Status AddRanks(const JsonObject& root, uint64_t first_id, uint64_t count,
                BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto vocab, root.Array("vocab"));
  parts.vocabulary.Reserve(count);
  uint64_t rank = 0;
  for (const simdjson::dom::element element : vocab) {
    if (rank == count) return OkStatus();
    simdjson::dom::object token;
    uint64_t said = 0;
    std::string_view base64;
    std::optional<std::string> bytes;
    if (element.get(token) == simdjson::SUCCESS &&
        token["rank"].get(said) == simdjson::SUCCESS && said == rank &&
        token["token_bytes"].get(base64) == simdjson::SUCCESS) {
      bytes = DecodeBase64(base64);
    }
    const bool is_byte = bytes && bytes->size() == 1 &&
                         static_cast<unsigned char>((*bytes)[0]) == rank;
    if (!bytes || bytes->empty() || (rank < 256 && !is_byte) ||
        parts.vocabulary.Add(static_cast<TokenId>(first_id + rank), *bytes) !=
            Vocabulary::Added::kYes) {
      return DataLossError(fmt::format(
          "vocab[{}] is not a token of that rank in base64 that no other has; "
          "the first 256 are the bytes",
          rank));
    }
    ++rank;
  }
  if (rank == count) return OkStatus();
  return DataLossError(
      fmt::format("vocab has {} tokens, and config asks for {}", rank, count));
}

StatusOr<std::shared_ptr<const Tokenizer>> BuildTekken(
    simdjson::dom::element document, const std::string& name) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject root,
                            JsonObject::Of(document, ""));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject config, root.Object("config"));
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t size,
                            config.Number("default_vocab_size"));
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t specials,
                            config.Number("default_num_special_tokens"));
  if (size > uint64_t{kMaxTokenId} + 1) {
    return ResourceExhaustedError(
        fmt::format("config.default_vocab_size is {}; the limit is {}", size,
                    kMaxTokenId + 1));
  }
  if (specials > size || size - specials < 256) {
    return DataLossError(fmt::format(
        "config has {} special tokens of {}, without room for the 256 bytes",
        specials, size));
  }
  BpeParts parts;
  parts.name = name;
  parts.whole_pieces_first = true;
  PENSTOCK_ASSIGN_OR_RETURN(const int version, ReadVersion(config));
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<std::string> texts,
                            ReadSpecialTexts(root, version));
  PENSTOCK_RETURN_IF_ERROR(AddSpecials(std::move(texts), specials, parts));
  PENSTOCK_RETURN_IF_ERROR(AddRanks(root, specials, size - specials, parts));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view pattern,
                            config.String("pattern"));
  PENSTOCK_ASSIGN_OR_RETURN(auto pretokenizer,
                            MakeTiktokenPreTokenizer(pattern));
  parts.pretokenizers.push_back(std::move(pretokenizer));
  Bpe bpe = Bpe::FromRanks(parts.vocabulary);
  return std::make_shared<BpeTokenizer>(std::move(parts), std::move(bpe),
                                        EncodingFrame());
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> ParseTekkenJson(
    std::string_view bytes, const std::string& name) {
  simdjson::dom::parser parser;
  PENSTOCK_ASSIGN_OR_RETURN(const auto document,
                            ParseJson(bytes, name, parser));
  auto tokenizer = BuildTekken(document, name);
  if (!tokenizer.ok()) return Annotate(tokenizer.status(), name);
  return tokenizer;
}

}  // namespace penstock
