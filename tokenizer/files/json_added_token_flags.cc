// ReadAddedTokensOf of json_pipeline.h.
#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_pipeline.h"

namespace penstock {
namespace {

StatusOr<AddedToken> ReadFlaggedToken(const JsonObject& json) {
  PENSTOCK_RETURN_IF_ERROR(
      json.OnlyFields({"id", "content", "single_word", "lstrip", "rstrip",
                       "normalized", "special"}));
  AddedToken token;
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t id, json.Number("id"));
  if (id > kMaxTokenId) {
    return ResourceExhaustedError(fmt::format("{}: id {}; the limit is {}",
                                              json.where(), id, kMaxTokenId));
  }
  token.id = static_cast<TokenId>(id);
  PENSTOCK_ASSIGN_OR_RETURN(token.content, json.String("content"));
  PENSTOCK_ASSIGN_OR_RETURN(token.single_word, json.Bool("single_word"));
  PENSTOCK_ASSIGN_OR_RETURN(token.strip_left, json.Bool("lstrip"));
  PENSTOCK_ASSIGN_OR_RETURN(token.strip_right, json.Bool("rstrip"));
  PENSTOCK_ASSIGN_OR_RETURN(token.normalized, json.Bool("normalized"));
  PENSTOCK_ASSIGN_OR_RETURN(token.special, json.Bool("special"));
  if (token.content.empty()) {
    return DataLossError(fmt::format("{}: \"content\" is empty", json.where()));
  }
  return token;
}

}  // namespace

StatusOr<AddedTokens> ReadAddedTokensOf(const JsonObject& root,
                                        const TokenModel& model,
                                        const Normalizer* normalizer) {
  if (!root.Field("added_tokens")) return AddedTokens();
  PENSTOCK_ASSIGN_OR_RETURN(const auto array, root.Array("added_tokens"));
  const Vocabulary& vocabulary = model.vocabulary();
  size_t next_id = vocabulary.tokens();
  std::vector<AddedToken> tokens;
  std::map<std::string, TokenId> seen;
  for (const simdjson::dom::element element : array) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const JsonObject json,
        JsonObject::Of(element,
                       fmt::format("added_tokens[{}]", tokens.size())));
    PENSTOCK_ASSIGN_OR_RETURN(AddedToken token, ReadFlaggedToken(json));
    if (!seen.emplace(token.content, token.id).second) {
      return DataLossError(fmt::format("{}: \"{}\" is given twice",
                                       json.where(), token.content));
    }
    const std::optional<TokenId> in_model = vocabulary.Find(token.content);
    const size_t wanted = in_model ? *in_model : next_id++;
    if (token.id != wanted) {
      return DataLossError(fmt::format(
          "{}: \"{}\" has id {}, but {} makes it {}", json.where(),
          token.content, token.id,
          in_model ? "model.vocab" : "the order of added tokens", wanted));
    }
    if (!in_model && vocabulary.Has(token.id)) {
      return DataLossError(
          fmt::format("{}: \"{}\" has id {}, which another token has",
                      json.where(), token.content, token.id));
    }
    tokens.push_back(std::move(token));
  }
  return AddedTokens(std::move(tokens), normalizer);
}

}  // namespace penstock
