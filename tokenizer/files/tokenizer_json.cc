#include "tokenizer/files/tokenizer_json.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/files/json_added_tokens.h"
#include "tokenizer/files/json_bpe_model.h"
#include "tokenizer/files/json_components.h"
#include "tokenizer/files/json_object.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/unicode/byte_alphabet.h"

namespace penstock {
namespace {

Status CheckVersion(const JsonObject& root) {
  if (!root.Has("version")) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view version,
                            root.String("version"));
  if (version == "1.0") return OkStatus();
  return UnimplementedError(fmt::format("version \"{}\"", version));
}

// Byte-level BPE alone, in one fast piece. kUnimplemented for anything else.
StatusOr<std::shared_ptr<const Tokenizer>> BuildByteLevelBpe(
    const JsonObject& root, const std::string& name, FrameOptions options,
    std::vector<std::string>& warnings) {
  BpeParts parts;
  parts.name = name;
  parts.spelling = Spelling::kByteAlphabet;
  PENSTOCK_RETURN_IF_ERROR(ReadNfc(root, parts));
  PENSTOCK_RETURN_IF_ERROR(ReadPreTokenizer(root, parts));
  PENSTOCK_RETURN_IF_ERROR(CheckDecoder(root));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject model, root.Object("model"));
  PENSTOCK_ASSIGN_OR_RETURN(MergeTable merges, ReadBpeModel(model, parts));
  PENSTOCK_RETURN_IF_ERROR(CheckBytes(parts));
  const auto find = [&](std::string_view spelled) {
    return FindSpelled(parts, spelled);
  };
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::vector<AddedToken> added,
      ReadAddedTokens(root, {find, parts.vocabulary.tokens()}, warnings));
  PENSTOCK_RETURN_IF_ERROR(TakeAddedTokens(added, parts));
  PENSTOCK_RETURN_IF_ERROR(CheckNormalizedTokens(parts));
  PENSTOCK_ASSIGN_OR_RETURN(EncodingFrame frame, ReadFrame(root, options));
  const auto spelling_of = [&](TokenId id) -> std::optional<std::string> {
    for (const SpecialToken& token : parts.specials) {
      if (token.id == id) return token.text;
    }
    if (!parts.vocabulary.Has(id)) return std::nullopt;
    return SpellBytes(parts.vocabulary.BytesOf(id));
  };
  PENSTOCK_RETURN_IF_ERROR(CheckFrame(spelling_of, frame));
  Bpe bpe = Bpe::FromMerges(parts.vocabulary, std::move(merges));
  return std::make_shared<BpeTokenizer>(std::move(parts), std::move(bpe),
                                        std::move(frame));
}

StatusOr<std::shared_ptr<const Tokenizer>> Build(
    simdjson::dom::element document, const std::string& name,
    TokenizerJsonOptions options, std::vector<std::string>& warnings) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject root,
                            JsonObject::Of(document, ""));
  if (!root.Has("model") && root.Has("config") && root.Has("vocab")) {
    return UnimplementedError(
        "a tekken.json, by its fields; load it as that kind, or give it a name "
        "with \"tekken\"");
  }
  PENSTOCK_RETURN_IF_ERROR(CheckVersion(root));
  const FrameOptions frame = {.truncation = options.truncation,
                              .padding = options.padding};
  auto fast = BuildByteLevelBpe(root, name, frame, warnings);
  if (fast.ok() || fast.status().code() != StatusCode::kUnimplemented) {
    return fast;
  }
  warnings.clear();
  return ReadComponents(root, name, frame, warnings);
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> ParseTokenizerJson(
    std::string_view bytes, const std::string& name,
    TokenizerJsonOptions options) {
  simdjson::dom::parser parser;
  PENSTOCK_ASSIGN_OR_RETURN(const auto document,
                            ParseJson(bytes, name, parser));
  std::vector<std::string> found;
  auto tokenizer = Build(document, name, options, found);
  if (!tokenizer.ok()) return Annotate(tokenizer.status(), name);
  if (options.warnings != nullptr) {
    for (const std::string& warning : found) {
      options.warnings->push_back(fmt::format("{}: {}", name, warning));
    }
  }
  return tokenizer;
}

}  // namespace penstock
