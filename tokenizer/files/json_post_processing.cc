#include "tokenizer/files/json_post_processing.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/files/json_type.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {
namespace {

using Kind = FramePiece::Kind;

// ["[CLS]", 101] of BertProcessing and RobertaProcessing.
StatusOr<FramePiece> ReadTokenPair(const JsonObject& json,
                                   std::string_view name) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto pair, json.Array(name));
  simdjson::dom::element id;
  std::string_view token;
  if (pair.size() != 2 || pair.at(0).get(token) != simdjson::SUCCESS ||
      pair.at(1).get(id) != simdjson::SUCCESS) {
    return DataLossError(fmt::format("{}: field \"{}\" is not [\"token\", id]",
                                     json.where(), name));
  }
  FramePiece piece{Kind::kToken, 0, 0, std::string(token)};
  PENSTOCK_ASSIGN_OR_RETURN(
      piece.id, TokenIdOf(id, fmt::format("{}.{}", json.where(), name)));
  return piece;
}

Status AppendSpecial(const JsonObject& special_tokens, const JsonObject& piece,
                     std::vector<FramePiece>& pieces) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name, piece.String("id"));
  PENSTOCK_ASSIGN_OR_RETURN(const uint32_t type_id, TypeIdOf(piece, "type_id"));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject token,
                            special_tokens.Object(name));
  PENSTOCK_ASSIGN_OR_RETURN(const auto ids, token.Array("ids"));
  PENSTOCK_ASSIGN_OR_RETURN(const auto texts, token.Array("tokens"));
  auto text = texts.begin();
  for (const simdjson::dom::element element : ids) {
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId id,
                              TokenIdOf(element, token.where()));
    pieces.push_back({Kind::kToken, type_id, id});
    if (text == texts.end()) continue;
    std::string_view chars;
    if ((*text).get(chars) != simdjson::SUCCESS) {
      return DataLossError(fmt::format(
          "{}: field \"tokens\" is not a list of strings", token.where()));
    }
    pieces.back().text = chars;
    ++text;
  }
  return OkStatus();
}

// Template pieces are one-field objects: {"Sequence": ...} and so on.
StatusOr<std::vector<FramePiece>> ReadTemplate(
    const JsonObject& json, std::string_view name,
    const JsonObject& special_tokens) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto array, json.Array(name));
  const std::string where = fmt::format("{}.{}", json.where(), name);
  std::vector<FramePiece> pieces;
  for (const simdjson::dom::element element : array) {
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject piece,
                              JsonObject::Of(element, where));
    if (!piece.Has("Sequence")) {
      PENSTOCK_ASSIGN_OR_RETURN(const JsonObject token,
                                piece.Object("SpecialToken"));
      PENSTOCK_RETURN_IF_ERROR(AppendSpecial(special_tokens, token, pieces));
      continue;
    }
    PENSTOCK_ASSIGN_OR_RETURN(const JsonObject sequence,
                              piece.Object("Sequence"));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view which,
                              sequence.String("id"));
    if (which != "A" && (which != "B" || name == "single")) {
      return DataLossError(
          fmt::format("{}: sequence \"{}\", but one text is \"A\" and the "
                      "other of a pair \"B\"",
                      where, which));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const uint32_t type_id,
                              TypeIdOf(sequence, "type_id"));
    pieces.push_back({which == "A" ? Kind::kFirst : Kind::kSecond, type_id});
  }
  return pieces;
}

Status ReadTemplates(const JsonObject& json, EncodingFrame& frame) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject special_tokens,
                            json.Object("special_tokens"));
  PENSTOCK_ASSIGN_OR_RETURN(frame.single,
                            ReadTemplate(json, "single", special_tokens));
  PENSTOCK_ASSIGN_OR_RETURN(frame.pair,
                            ReadTemplate(json, "pair", special_tokens));
  return OkStatus();
}

// What the processors read so far do.
struct Framing {
  bool adds_tokens = false;
  // Of TrimSpaces. BertProcessing and RobertaProcessing make one piece of a
  // text and the tokens around it; the pieces of a template stay apart.
  std::array<bool, 2> is_behind_token = {};
};

void AddTrim(const ByteLevelFields& fields, const Framing& framing,
             EncodingFrame& frame) {
  if (!fields.trim_offsets) return;
  frame.trims.push_back({.add_prefix_space = fields.add_prefix_space,
                         .is_behind_token = framing.is_behind_token});
}

// "[CLS] A [SEP]": BertProcessing or RobertaProcessing. The reference does not
// look which the file says, but whether the fields of the latter are there.
Status ReadClsSep(const JsonObject& json, Framing& framing,
                  EncodingFrame& frame) {
  PENSTOCK_ASSIGN_OR_RETURN(const FramePiece cls, ReadTokenPair(json, "cls"));
  PENSTOCK_ASSIGN_OR_RETURN(const FramePiece sep, ReadTokenPair(json, "sep"));
  frame.single = {cls, {Kind::kFirst}, sep};
  frame.pair = frame.single;
  const auto fields = ReadByteLevelFields(json);
  if (!fields.ok()) {
    frame.pair.insert(frame.pair.end(), {{Kind::kSecond, 1},
                                         {Kind::kToken, 1, sep.id, sep.text}});
    framing.is_behind_token = {true, false};
    return OkStatus();
  }
  // Every type is 0 here, and there are two separators between texts.
  frame.pair.insert(frame.pair.end(), {sep, {Kind::kSecond, 0}, sep});
  frame.second_overflow_type = 0;
  AddTrim(*fields, framing, frame);
  framing.is_behind_token = {true, true};
  return OkStatus();
}

Status ReadProcessor(const JsonObject& json, Framing& framing,
                     EncodingFrame& frame) {
  frame.has_processor = true;
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::string_view type,
      TypeOf(json,
             {{"BertProcessing", {"sep", "cls"}},
              {"TemplateProcessing", {"single", "pair", "special_tokens"}}}));
  if (type == "ByteLevel") {
    PENSTOCK_ASSIGN_OR_RETURN(const ByteLevelFields fields,
                              ReadByteLevelFields(json));
    AddTrim(fields, framing, frame);
    return OkStatus();
  }
  if (type == "Sequence") {
    PENSTOCK_ASSIGN_OR_RETURN(const auto steps, json.Array("processors"));
    for (const simdjson::dom::element element : steps) {
      PENSTOCK_ASSIGN_OR_RETURN(
          const JsonObject step,
          JsonObject::Of(element, json.where() + ".processors"));
      PENSTOCK_RETURN_IF_ERROR(ReadProcessor(step, framing, frame));
    }
    return OkStatus();
  }
  if (std::exchange(framing.adds_tokens, true)) {
    return UnimplementedError(
        fmt::format("{}: post-processor {} behind another that adds tokens",
                    json.where(), type));
  }
  if (type == "TemplateProcessing") {
    return ReadTemplates(json, frame);
  }
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    return ReadClsSep(json, framing, frame);
  }
  return UnimplementedError(
      fmt::format("{}: post-processor {}", json.where(), type));
}

}  // namespace

StatusOr<TokenId> TokenIdOf(simdjson::dom::element element,
                            const std::string& where) {
  uint64_t id = 0;
  if (element.get(id) != simdjson::SUCCESS || id > kMaxTokenId) {
    return DataLossError(fmt::format("{}: not the id of a token", where));
  }
  return static_cast<TokenId>(id);
}

StatusOr<uint32_t> TypeIdOf(const JsonObject& json, std::string_view name) {
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t type_id, json.Number(name));
  if (type_id <= 0xffffffff) return static_cast<uint32_t>(type_id);
  return DataLossError(fmt::format("{}: {} {}", json.where(), name, type_id));
}

Status ReadPostProcessor(const JsonObject& json, EncodingFrame& frame) {
  Framing framing;
  return ReadProcessor(json, framing, frame);
}

}  // namespace penstock
