// ReadAddedTokens of json_components.h.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_bpe_model.h"
#include "tokenizer/files/json_components.h"

namespace penstock {
namespace {

StatusOr<SpecialToken> ReadToken(const JsonObject& json) {
  PENSTOCK_RETURN_IF_ERROR(
      json.OnlyFields({"id", "content", "single_word", "lstrip", "rstrip",
                       "normalized", "special"}));
  SpecialToken token;
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t id, json.Number("id"));
  if (id > kMaxTokenId) {
    return ResourceExhaustedError(fmt::format("{}: id {}; the limit is {}",
                                              json.where(), id, kMaxTokenId));
  }
  token.id = static_cast<TokenId>(id);
  PENSTOCK_ASSIGN_OR_RETURN(token.text, json.String("content"));
  if (token.text.empty()) {
    return DataLossError(fmt::format("{}: \"content\" is empty", json.where()));
  }
  for (const char* flag : {"single_word", "lstrip", "rstrip"}) {
    PENSTOCK_ASSIGN_OR_RETURN(const bool set, json.Bool(flag));
    if (set) {
      return UnimplementedError(
          fmt::format("added token \"{}\" with {}", token.text, flag));
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(token.normalized, json.Bool("normalized"));
  PENSTOCK_ASSIGN_OR_RETURN(token.special, json.Bool("special"));
  return token;
}

}  // namespace

Status ReadAddedTokens(const JsonObject& root, BpeParts& parts) {
  if (!root.Field("added_tokens")) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(const auto array, root.Array("added_tokens"));
  // The reference does not read the ids of added tokens but numbers them: as
  // the model does, else behind the model and the largest added so far. A file
  // that says otherwise has ids that nobody can rely on.
  const size_t model_tokens = parts.vocabulary.tokens();
  uint64_t next_id = model_tokens;
  std::set<std::string> texts;
  for (const simdjson::dom::element element : array) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const JsonObject json,
        JsonObject::Of(element, fmt::format("added_tokens[{}]", texts.size())));
    PENSTOCK_ASSIGN_OR_RETURN(SpecialToken token, ReadToken(json));
    if (!texts.insert(token.text).second) {
      return DataLossError(
          fmt::format("{}: \"{}\" is given twice", json.where(), token.text));
    }
    const std::optional<TokenId> in_model = FindSpelled(parts, token.text);
    if (const uint64_t wanted = in_model ? *in_model : next_id;
        token.id != wanted) {
      return DataLossError(fmt::format(
          "{}: \"{}\" has id {}, but {} makes it {}", json.where(), token.text,
          token.id, in_model ? "model.vocab" : "the order of added tokens",
          wanted));
    }
    if (!in_model && parts.vocabulary.Has(token.id)) {
      return DataLossError(
          fmt::format("{}: \"{}\" has id {}, which another token has",
                      json.where(), token.text, token.id));
    }
    if (token.id >= model_tokens) {
      next_id = std::max(next_id, token.id + uint64_t{1});
    }
    parts.specials.push_back(std::move(token));
  }
  return OkStatus();
}

}  // namespace penstock
