// ReadFrame and CheckFrame of json_pipeline.h.
#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/files/json_post_processing.h"

namespace penstock {
namespace {

StatusOr<Edge> ReadEdge(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view direction,
                            json.String("direction"));
  if (direction == "Right") return Edge::kRight;
  if (direction == "Left") return Edge::kLeft;
  return DataLossError(
      fmt::format("{}: direction \"{}\"", json.where(), direction));
}

StatusOr<Truncation> ReadTruncation(const JsonObject& json, size_t added) {
  Truncation truncation;
  PENSTOCK_ASSIGN_OR_RETURN(truncation.max_length, json.Number("max_length"));
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t stride, json.Number("stride"));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view strategy,
                            json.String("strategy"));
  if (json.Has("direction")) {
    PENSTOCK_ASSIGN_OR_RETURN(truncation.direction, ReadEdge(json));
  }
  if (strategy != "LongestFirst" && strategy != "OnlyFirst" &&
      strategy != "OnlySecond") {
    return DataLossError(
        fmt::format("{}: strategy \"{}\"", json.where(), strategy));
  }
  if (strategy == "OnlyFirst") {
    truncation.strategy = TruncationStrategy::kOnlyFirst;
  } else if (strategy == "OnlySecond") {
    truncation.strategy = TruncationStrategy::kOnlySecond;
  }
  truncation.stride = stride;
  if (truncation.max_length < added ||
      (stride > 0 && truncation.max_length - added <= stride)) {
    return DataLossError(fmt::format(
        "{}: max_length {} with {} tokens around and stride {} leaves nothing",
        json.where(), truncation.max_length, added, stride));
  }
  return truncation;
}

StatusOr<Padding> ReadPadding(const JsonObject& json) {
  Padding padding;
  PENSTOCK_ASSIGN_OR_RETURN(padding.token, json.String("pad_token"));
  PENSTOCK_ASSIGN_OR_RETURN(const auto strategy, json.Required("strategy"));
  if (strategy.is_object()) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject fixed, json.Object("strategy"));
    PENSTOCK_ASSIGN_OR_RETURN(padding.length, fixed.Number("Fixed"));
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name,
                              json.String("strategy"));
    if (name != "BatchLongest") {
      return DataLossError(
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
    return ResourceExhaustedError(
        fmt::format("{}: pads to more than {} ids", json.where(), kMaxPadding));
  }
  PENSTOCK_ASSIGN_OR_RETURN(padding.direction, ReadEdge(json));
  PENSTOCK_ASSIGN_OR_RETURN(const auto id, json.Required("pad_id"));
  PENSTOCK_ASSIGN_OR_RETURN(padding.id,
                            TokenIdOf(id, json.where() + ".pad_id"));
  PENSTOCK_ASSIGN_OR_RETURN(padding.type_id, TypeIdOf(json, "pad_type_id"));
  return padding;
}

}  // namespace

StatusOr<EncodingFrame> ReadFrame(const JsonObject& root,
                                  FrameOptions options) {
  EncodingFrame frame;
  if (root.Field("post_processor")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json,
                              root.Object("post_processor"));
    PENSTOCK_RETURN_IF_ERROR(ReadPostProcessor(json, frame));
  }
  if (options.truncation && root.Field("truncation")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("truncation"));
    PENSTOCK_ASSIGN_OR_RETURN(
        frame.truncation, ReadTruncation(json, AddedTokenCount(frame.single)));
  }
  if (options.padding && root.Field("padding")) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("padding"));
    PENSTOCK_ASSIGN_OR_RETURN(frame.padding, ReadPadding(json));
  }
  return frame;
}

Status CheckFrame(
    const std::function<std::optional<std::string>(TokenId)>& spelling_of,
    EncodingFrame& frame) {
  const auto check = [&](TokenId id, std::string& text) {
    const std::optional<std::string> spelling = spelling_of(id);
    if (!spelling) {
      return DataLossError(fmt::format(
          "the post-processor or padding adds id {}, which is not in the "
          "vocabulary",
          id));
    }
    if (text == *spelling) text.clear();
    return OkStatus();
  };
  for (auto* pieces : {&frame.single, &frame.pair}) {
    for (FramePiece& piece : *pieces) {
      if (piece.kind != FramePiece::Kind::kToken) continue;
      PENSTOCK_RETURN_IF_ERROR(check(piece.id, piece.text));
    }
  }
  if (!frame.padding) return OkStatus();
  return check(frame.padding->id, frame.padding->token);
}

}  // namespace penstock
