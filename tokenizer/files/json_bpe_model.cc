#include "tokenizer/files/json_bpe_model.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_merges.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/unicode/byte_alphabet.h"

namespace penstock {
namespace {

Status CheckType(const JsonObject& model) {
  if (model.Has("type")) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type,
                              model.String("type"));
    if (type == "BPE") return OkStatus();
    return UnimplementedError(fmt::format("model {}", type));
  }
  if (model.Field("merges")) return OkStatus();
  return UnimplementedError(
      "model without a type and without merges, probably WordPiece");
}

// The settings that would change ids, at the only values we have.
Status CheckSettings(const JsonObject& model) {
  for (const char* affix :
       {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!model.Field(affix)) continue;
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text, model.String(affix));
    if (!text.empty()) {
      return UnimplementedError(
          fmt::format("model BPE with {} \"{}\"", affix, text));
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(const bool byte_fallback,
                            model.BoolOrNull("byte_fallback", false));
  if (byte_fallback) {
    return UnimplementedError("model BPE with byte_fallback");
  }
  return OkStatus();
}

Status AddToken(std::string_view spelled, uint64_t id, BpeParts& parts) {
  if (id > kMaxTokenId) {
    return ResourceExhaustedError(
        fmt::format("model.vocab: \"{}\" has id {}; the limit is {}", spelled,
                    id, kMaxTokenId));
  }
  const auto token_id = static_cast<TokenId>(id);
  const std::optional<std::string> bytes = BytesOfSpelling(spelled);
  Vocabulary::Added added;
  if (bytes) {
    added = parts.vocabulary.Add(token_id, *bytes);
  } else {
    added = parts.vocabulary.AddForDecoding(token_id, spelled);
    if (added == Vocabulary::Added::kYes &&
        !parts.plain_ids.emplace(spelled, token_id).second) {
      added = Vocabulary::Added::kBytesTaken;
    }
  }
  switch (added) {
    case Vocabulary::Added::kYes:
      return OkStatus();
    case Vocabulary::Added::kIdTaken:
      return DataLossError(
          fmt::format("model.vocab: \"{}\" has id {}, which another token has",
                      spelled, id));
    case Vocabulary::Added::kBytesTaken:
      break;
  }
  return DataLossError(
      fmt::format("model.vocab: \"{}\" is given twice", spelled));
}

Status ReadVocabulary(const JsonObject& model, BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto vocab, model.Map("vocab"));
  parts.vocabulary.Reserve(vocab.size());
  for (const auto field : vocab) {
    uint64_t id = 0;
    if (field.value.get(id) != simdjson::SUCCESS) {
      return DataLossError(fmt::format(
          "model.vocab: the id of \"{}\" is not a whole number", field.key));
    }
    PENSTOCK_RETURN_IF_ERROR(AddToken(field.key, id, parts));
  }
  return OkStatus();
}

// Without one the reference drops what has no token; with one it would take
// the place of such bytes.
Status CheckUnknownToken(const JsonObject& model, const BpeParts& parts) {
  if (!model.Field("unk_token")) return OkStatus();
  const auto byte = ByteWithoutToken(parts.vocabulary);
  if (!byte) return OkStatus();
  return UnimplementedError(fmt::format(
      "model BPE with unk_token where the byte 0x{:02X} has no token", *byte));
}

}  // namespace

std::optional<TokenId> FindSpelled(const BpeParts& parts,
                                   std::string_view spelled) {
  if (const auto bytes = BytesOfSpelling(spelled)) {
    return parts.vocabulary.Find(*bytes);
  }
  const auto plain = parts.plain_ids.find(spelled);
  if (plain == parts.plain_ids.end()) return std::nullopt;
  return plain->second;
}

std::optional<uint8_t> ByteWithoutToken(const Vocabulary& vocabulary) {
  for (int byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    if (!vocabulary.Find({&spelled, 1})) return static_cast<uint8_t>(byte);
  }
  return std::nullopt;
}

StatusOr<std::optional<double>> ReadDropout(const JsonObject& model) {
  const auto field = model.Field("dropout");
  if (!field) return std::optional<double>();
  double rate = 0;
  if (field->get(rate) != simdjson::SUCCESS || !(rate >= 0 && rate <= 1)) {
    return DataLossError("model.dropout is not a number from 0 to 1");
  }
  return rate;
}

StatusOr<MergeTable> ReadBpeModel(const JsonObject& model, BpeParts& parts) {
  PENSTOCK_RETURN_IF_ERROR(CheckType(model));
  PENSTOCK_RETURN_IF_ERROR(CheckSettings(model));
  PENSTOCK_ASSIGN_OR_RETURN(parts.dropout, ReadDropout(model));
  PENSTOCK_ASSIGN_OR_RETURN(parts.whole_pieces_first,
                            model.BoolOrNull("ignore_merges", false));
  PENSTOCK_RETURN_IF_ERROR(ReadVocabulary(model, parts));
  PENSTOCK_RETURN_IF_ERROR(CheckUnknownToken(model, parts));
  const auto find = [&](std::string_view spelled) {
    return FindSpelled(parts, spelled);
  };
  Fingerprinter print;
  PENSTOCK_ASSIGN_OR_RETURN(MergeTable merges,
                            ReadMerges(model, {find}, print));
  parts.merges_fingerprint = print.Finish();
  return merges;
}

}  // namespace penstock
