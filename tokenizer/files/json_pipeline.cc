#include "tokenizer/files/json_pipeline.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_added_tokens.h"
#include "tokenizer/files/json_spelling.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {
namespace {

bool IsWanted(std::string_view field, FrameOptions options) {
  return (field != "truncation" || options.truncation) &&
         (field != "padding" || options.padding);
}

void AppendOutlineOf(const JsonObject& model, std::string& json) {
  json += '{';
  bool is_first = true;
  for (const auto field : model.fields()) {
    AppendJsonName(field.key, is_first, json);
    const bool is_table = field.key == "vocab" || field.key == "merges";
    if (is_table && !field.value.is_null()) {
      json += "[]";
    } else {
      AppendJson(field.value, json);
    }
  }
  json += '}';
}

// Fills parts.outline, and parts.fingerprint: of everything but the model,
// which tells its own.
void SetOutline(const JsonObject& root, const JsonObject& model,
                FrameOptions options, TokenizerComponents& parts) {
  constexpr size_t kLong = 64 << 10;  // bytes; a character map, most often
  Fingerprinter print;
  std::string& json = parts.outline;
  json += '{';
  bool is_first = true;
  for (const auto field : root.fields()) {
    const std::string_view name = field.key;
    if (!IsWanted(name, options)) continue;
    AppendJsonName(name, is_first, json);
    if (name == "model") {
      AppendOutlineOf(model, json);
      continue;
    }
    const size_t begin = json.size();
    AppendJson(field.value, json);
    const std::string_view value = std::string_view(json).substr(begin);
    print.Add(name);
    value.size() < kLong ? print.Add(value) : print.AddLong(value);
  }
  json += '}';
  parts.fingerprint = print.Finish();
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> ReadComponents(
    const JsonObject& root, const std::string& name, FrameOptions options,
    std::vector<std::string>& warnings, MadeModel made) {
  TokenizerComponents parts;
  parts.name = name;
  parts.tables = std::move(made.tables);
  parts.known_fingerprint = made.fingerprint;
  if (root.Field("normalizer")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("normalizer"));
    PENSTOCK_ASSIGN_OR_RETURN(parts.normalizer, ReadNormalizer(json));
  }
  if (root.Field("pre_tokenizer")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json,
                              root.Object("pre_tokenizer"));
    PENSTOCK_ASSIGN_OR_RETURN(parts.splitter, ReadSplitter(json));
  }
  if (root.Field("decoder")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("decoder"));
    PENSTOCK_ASSIGN_OR_RETURN(parts.decoder, ReadDecoder(json));
  }
  PENSTOCK_ASSIGN_OR_RETURN(EncodingFrame frame, ReadFrame(root, options));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject model, root.Object("model"));
  parts.model = std::move(made.model);
  if (parts.model == nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(parts.model, ReadTokenModel(model, nullptr));
  }
  if (!parts.known_fingerprint) {
    SetOutline(root, model, options, parts);
  }
  const Vocabulary& vocabulary = parts.model->vocabulary();
  const auto find = [&](std::string_view text) {
    return vocabulary.Find(text);
  };
  PENSTOCK_ASSIGN_OR_RETURN(
      std::vector<AddedToken> added,
      ReadAddedTokens(root, {find, vocabulary.tokens()}, warnings));
  PENSTOCK_ASSIGN_OR_RETURN(
      parts.added_tokens,
      AddedTokens::Make(std::move(added), parts.normalizer.get()));
  const auto spelling_of = [&](TokenId id) -> std::optional<std::string> {
    if (const auto added = parts.added_tokens.SpellingOf(id)) {
      return std::string(*added);
    }
    const Vocabulary& tokens = parts.model->vocabulary();
    if (!tokens.Has(id)) return std::nullopt;
    return std::string(tokens.BytesOf(id));
  };
  PENSTOCK_RETURN_IF_ERROR(CheckFrame(spelling_of, frame));
  return std::make_shared<ComponentTokenizer>(std::move(parts),
                                              std::move(frame));
}

}  // namespace penstock
