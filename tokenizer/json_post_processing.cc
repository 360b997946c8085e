// ReadPostProcessing of json_pipeline.h.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "formats/status.h"
#include "tokenizer/json_pipeline.h"
#include "tokenizer/vocabulary.h"

namespace penstock {
namespace {

constexpr TokenId kText = EncodingFrame::kText;

absl::StatusOr<TokenId> IdOf(simdjson::dom::element element,
                             const std::string& where) {
  uint64_t id = 0;
  if (element.get(id) != simdjson::SUCCESS || id > kMaxTokenId) {
    return absl::DataLossError(fmt::format("{}: not the id of a token", where));
  }
  return static_cast<TokenId>(id);
}

// ["[CLS]", 101] of BertProcessing and RobertaProcessing.
absl::StatusOr<TokenId> ReadTokenPair(const JsonObject& json,
                                      std::string_view name) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto pair, json.Array(name));
  simdjson::dom::element id;
  if (pair.size() != 2 || pair.at(1).get(id) != simdjson::SUCCESS) {
    return absl::DataLossError(fmt::format(
        "{}: field \"{}\" is not [\"token\", id]", json.where(), name));
  }
  return IdOf(id, fmt::format("{}.{}", json.where(), name));
}

absl::Status AppendSpecial(const JsonObject& special_tokens,
                           const JsonObject& piece,
                           std::vector<TokenId>& around) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name, piece.String("id"));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject token,
                            special_tokens.Object(name));
  PENSTOCK_ASSIGN_OR_RETURN(const auto ids, token.Array("ids"));
  for (const simdjson::dom::element element : ids) {
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId id, IdOf(element, token.where()));
    around.push_back(id);
  }
  return absl::OkStatus();
}

// Template pieces are one-field objects: {"Sequence": ...} and so on.
absl::StatusOr<std::vector<TokenId>> ReadTemplate(const JsonObject& json) {
  PENSTOCK_RETURN_IF_ERROR(
      json.OnlyFields({"type", "single", "pair", "special_tokens"}));
  PENSTOCK_ASSIGN_OR_RETURN(const auto pieces, json.Array("single"));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject special_tokens,
                            json.Object("special_tokens"));
  std::vector<TokenId> around;
  for (const simdjson::dom::element element : pieces) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const JsonObject piece,
        JsonObject::Of(element, json.where() + ".single"));
    PENSTOCK_RETURN_IF_ERROR(piece.OnlyFields({"Sequence", "SpecialToken"}));
    if (!piece.Field("Sequence")) {
      PENSTOCK_ASSIGN_OR_RETURN(const JsonObject token,
                                piece.Object("SpecialToken"));
      PENSTOCK_RETURN_IF_ERROR(AppendSpecial(special_tokens, token, around));
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject sequence,
                              piece.Object("Sequence"));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view which,
                              sequence.String("id"));
    if (which != "A") {
      return absl::DataLossError(
          fmt::format("{}.single: sequence \"{}\", but one text is \"A\"",
                      json.where(), which));
    }
    around.push_back(kText);
  }
  return around;
}

absl::Status ReadTrim(const JsonObject& json, PostProcessing& post) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool trim, json.Bool("trim_offsets"));
  PENSTOCK_ASSIGN_OR_RETURN(const bool add_prefix_space,
                            json.Bool("add_prefix_space"));
  if (!trim) return absl::OkStatus();
  if (post.trim) {
    return absl::UnimplementedError(
        fmt::format("{}: trim_offsets for the second time", json.where()));
  }
  post.trim = TrimSpaces{.add_prefix_space = add_prefix_space};
  return absl::OkStatus();
}

absl::Status ReadProcessor(const JsonObject& json, bool& framed,
                           PostProcessing& post) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, json.String("type"));
  if (type == "ByteLevel") {
    PENSTOCK_RETURN_IF_ERROR(json.OnlyFields(
        {"type", "add_prefix_space", "trim_offsets", "use_regex"}));
    return ReadTrim(json, post);
  }
  if (type == "Sequence") {
    PENSTOCK_RETURN_IF_ERROR(json.OnlyFields({"type", "processors"}));
    PENSTOCK_ASSIGN_OR_RETURN(const auto steps, json.Array("processors"));
    for (const simdjson::dom::element element : steps) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const JsonObject step,
          JsonObject::Of(element, json.where() + ".processors"));
      PENSTOCK_RETURN_IF_ERROR(ReadProcessor(step, framed, post));
    }
    return absl::OkStatus();
  }
  if (std::exchange(framed, true)) {
    return absl::UnimplementedError(
        fmt::format("{}: post-processor {} behind another that adds tokens",
                    json.where(), type));
  }
  if (type == "TemplateProcessing") {
    PENSTOCK_ASSIGN_OR_RETURN(post.frame.around, ReadTemplate(json));
    return absl::OkStatus();
  }
  if (type != "BertProcessing" && type != "RobertaProcessing") {
    return absl::UnimplementedError(
        fmt::format("{}: post-processor {}", json.where(), type));
  }
  PENSTOCK_RETURN_IF_ERROR(json.OnlyFields(
      {"type", "sep", "cls", "trim_offsets", "add_prefix_space"}));
  PENSTOCK_ASSIGN_OR_RETURN(const TokenId cls, ReadTokenPair(json, "cls"));
  PENSTOCK_ASSIGN_OR_RETURN(const TokenId sep, ReadTokenPair(json, "sep"));
  post.frame.around = {cls, kText, sep};
  return type == "RobertaProcessing" ? ReadTrim(json, post) : absl::OkStatus();
}

absl::StatusOr<Edge> ReadEdge(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view direction,
                            json.String("direction"));
  if (direction == "Right") return Edge::kRight;
  if (direction == "Left") return Edge::kLeft;
  return absl::DataLossError(
      fmt::format("{}: direction \"{}\"", json.where(), direction));
}

absl::StatusOr<Truncation> ReadTruncation(const JsonObject& json,
                                          size_t added) {
  PENSTOCK_RETURN_IF_ERROR(
      json.OnlyFields({"direction", "max_length", "strategy", "stride"}));
  Truncation truncation;
  PENSTOCK_ASSIGN_OR_RETURN(truncation.max_length, json.Number("max_length"));
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t stride, json.Number("stride"));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view strategy,
                            json.String("strategy"));
  if (json.Field("direction")) {
    PENSTOCK_ASSIGN_OR_RETURN(truncation.direction, ReadEdge(json));
  }
  if (strategy != "LongestFirst" && strategy != "OnlyFirst" &&
      strategy != "OnlySecond") {
    return absl::DataLossError(
        fmt::format("{}: strategy \"{}\"", json.where(), strategy));
  }
  truncation.only_second = strategy == "OnlySecond";
  // The stride only decides what the overflow holds, which is not kept.
  if (truncation.max_length < added ||
      (stride > 0 && truncation.max_length - added <= stride)) {
    return absl::DataLossError(fmt::format(
        "{}: max_length {} with {} tokens around and stride {} leaves nothing",
        json.where(), truncation.max_length, added, stride));
  }
  return truncation;
}

absl::StatusOr<Padding> ReadPadding(const JsonObject& json) {
  // Files add "pad_type_id" and "pad_token", which ids do not depend on.
  PENSTOCK_RETURN_IF_ERROR(
      json.OnlyFields({"strategy", "direction", "pad_to_multiple_of", "pad_id",
                       "pad_type_id", "pad_token"}));
  Padding padding;
  PENSTOCK_ASSIGN_OR_RETURN(const auto strategy, json.Required("strategy"));
  if (strategy.is_object()) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject fixed, json.Object("strategy"));
    PENSTOCK_RETURN_IF_ERROR(fixed.OnlyFields({"Fixed"}));
    PENSTOCK_ASSIGN_OR_RETURN(padding.length, fixed.Number("Fixed"));
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name,
                              json.String("strategy"));
    if (name != "BatchLongest") {
      return absl::DataLossError(
          fmt::format("{}: strategy \"{}\"", json.where(), name));
    }
  }
  if (json.Field("pad_to_multiple_of")) {
    PENSTOCK_ASSIGN_OR_RETURN(padding.multiple_of,
                              json.Number("pad_to_multiple_of"));
  }
  constexpr size_t kMaxPadding = size_t{1} << 24;
  if (padding.length.value_or(0) > kMaxPadding ||
      padding.multiple_of > kMaxPadding) {
    return absl::ResourceExhaustedError(
        fmt::format("{}: pads to more than {} ids", json.where(), kMaxPadding));
  }
  PENSTOCK_ASSIGN_OR_RETURN(padding.direction, ReadEdge(json));
  PENSTOCK_ASSIGN_OR_RETURN(const auto id, json.Required("pad_id"));
  PENSTOCK_ASSIGN_OR_RETURN(padding.id, IdOf(id, json.where() + ".pad_id"));
  return padding;
}

}  // namespace

absl::StatusOr<PostProcessing> ReadPostProcessing(const JsonObject& root) {
  PostProcessing post;
  if (root.Field("post_processor")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json,
                              root.Object("post_processor"));
    bool framed = false;
    PENSTOCK_RETURN_IF_ERROR(ReadProcessor(json, framed, post));
  }
  if (root.Field("truncation")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("truncation"));
    PENSTOCK_ASSIGN_OR_RETURN(post.frame.truncation,
                              ReadTruncation(json, post.frame.added()));
  }
  if (root.Field("padding")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("padding"));
    PENSTOCK_ASSIGN_OR_RETURN(post.frame.padding, ReadPadding(json));
  }
  return post;
}

}  // namespace penstock
