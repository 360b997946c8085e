#include "tokenizer/files/json_bpe_model.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/unicode/byte_alphabet.h"

namespace penstock {
namespace {

struct SpelledPair {
  std::string_view left, right;
};

absl::Status CheckType(const JsonObject& model) {
  if (model.Field("type")) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type,
                              model.String("type"));
    if (type == "BPE") return absl::OkStatus();
    return absl::UnimplementedError(fmt::format("model {}", type));
  }
  if (model.Field("merges")) return absl::OkStatus();
  return absl::UnimplementedError(
      "model without a type and without merges, probably WordPiece");
}

// The settings that would change ids, at the only values we have.
absl::Status CheckSettings(const JsonObject& model) {
  PENSTOCK_RETURN_IF_ERROR(model.OnlyFields(
      {"type", "dropout", "unk_token", "continuing_subword_prefix",
       "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges",
       "vocab", "merges"}));
  for (const char* affix :
       {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!model.Field(affix)) continue;
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text, model.String(affix));
    if (!text.empty()) {
      return absl::UnimplementedError(
          fmt::format("model BPE with {} \"{}\"", affix, text));
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(const bool byte_fallback,
                            model.BoolOr("byte_fallback", false));
  if (byte_fallback) {
    return absl::UnimplementedError("model BPE with byte_fallback");
  }
  return absl::OkStatus();
}

absl::Status AddToken(std::string_view spelled, uint64_t id, BpeParts& parts) {
  if (id > kMaxTokenId) {
    return absl::ResourceExhaustedError(
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
      return absl::OkStatus();
    case Vocabulary::Added::kIdTaken:
      return absl::DataLossError(
          fmt::format("model.vocab: \"{}\" has id {}, which another token has",
                      spelled, id));
    case Vocabulary::Added::kBytesTaken:
      break;
  }
  return absl::DataLossError(
      fmt::format("model.vocab: \"{}\" is given twice", spelled));
}

absl::Status ReadVocabulary(const JsonObject& model, BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject vocab, model.Object("vocab"));
  parts.vocabulary.Reserve(vocab.fields().size());
  for (const auto field : vocab.fields()) {
    uint64_t id = 0;
    if (field.value.get(id) != simdjson::SUCCESS) {
      return absl::DataLossError(fmt::format(
          "model.vocab: the id of \"{}\" is not a whole number", field.key));
    }
    PENSTOCK_RETURN_IF_ERROR(AddToken(field.key, id, parts));
  }
  return absl::OkStatus();
}

// "a b" or ["a", "b"].
std::optional<SpelledPair> PairOf(simdjson::dom::element merge) {
  std::string_view text;
  if (merge.get(text) == simdjson::SUCCESS) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    const SpelledPair pair = {text.substr(0, space), text.substr(space + 1)};
    if (pair.right.find(' ') != std::string_view::npos) return std::nullopt;
    return pair;
  }
  simdjson::dom::array parts;
  SpelledPair pair;
  if (merge.get(parts) != simdjson::SUCCESS || parts.size() != 2 ||
      parts.at(0).get(pair.left) != simdjson::SUCCESS ||
      parts.at(1).get(pair.right) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return pair;
}

bool IsVersionLine(simdjson::dom::element merge) {
  std::string_view text;
  return merge.get(text) == simdjson::SUCCESS && text.starts_with("#version");
}

absl::StatusOr<TokenId> IdInMerge(const BpeParts& parts,
                                  std::string_view spelled, size_t number) {
  if (const auto id = FindSpelled(parts, spelled)) return *id;
  return absl::DataLossError(fmt::format(
      "model.merges[{}]: \"{}\" is not in model.vocab", number, spelled));
}

absl::StatusOr<MergeTable> ReadMerges(const JsonObject& model,
                                      BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto merges, model.Array("merges"));
  if (merges.size() >= kEndOfRanks) {
    return absl::ResourceExhaustedError(
        fmt::format("model.merges: more than {} merges", kEndOfRanks - 1));
  }
  MergeTable table;
  table.Reserve(merges.size());
  Fingerprinter print;
  uint32_t rank = 0;
  size_t number = 0;
  for (const simdjson::dom::element merge : merges) {
    const size_t i = number++;
    if (IsVersionLine(merge)) continue;
    const std::optional<SpelledPair> pair = PairOf(merge);
    if (!pair) {
      return absl::DataLossError(fmt::format(
          "model.merges[{}] is neither \"left right\" nor [\"left\", "
          "\"right\"]",
          i));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId left,
                              IdInMerge(parts, pair->left, i));
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId right,
                              IdInMerge(parts, pair->right, i));
    std::string joined(pair->left);
    joined += pair->right;
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId merged,
                              IdInMerge(parts, joined, i));
    table.Add(left, right, {.rank = rank++, .merged = merged});
    print.Add(uint64_t{left}).Add(uint64_t{right});
  }
  parts.merges_fingerprint = print.Finish();
  return table;
}

// Without one the reference drops what has no token; with one it would take
// the place of such bytes.
absl::Status CheckUnknownToken(const JsonObject& model, const BpeParts& parts) {
  if (!model.Field("unk_token")) return absl::OkStatus();
  for (int byte = 0; byte < 256; ++byte) {
    const char spelled = static_cast<char>(byte);
    if (parts.vocabulary.Find({&spelled, 1})) continue;
    return absl::UnimplementedError(fmt::format(
        "model BPE with unk_token where the byte 0x{:02X} has no token", byte));
  }
  return absl::OkStatus();
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

absl::StatusOr<std::optional<double>> ReadDropout(const JsonObject& model) {
  const auto field = model.Field("dropout");
  if (!field) return std::optional<double>();
  double rate = 0;
  if (field->get(rate) != simdjson::SUCCESS || !(rate >= 0 && rate <= 1)) {
    return absl::DataLossError("model.dropout is not a number from 0 to 1");
  }
  return rate;
}

absl::StatusOr<MergeTable> ReadBpeModel(const JsonObject& model,
                                        BpeParts& parts) {
  PENSTOCK_RETURN_IF_ERROR(CheckType(model));
  PENSTOCK_RETURN_IF_ERROR(CheckSettings(model));
  PENSTOCK_ASSIGN_OR_RETURN(parts.dropout, ReadDropout(model));
  PENSTOCK_ASSIGN_OR_RETURN(parts.whole_pieces_first,
                            model.BoolOr("ignore_merges", false));
  PENSTOCK_RETURN_IF_ERROR(ReadVocabulary(model, parts));
  PENSTOCK_RETURN_IF_ERROR(CheckUnknownToken(model, parts));
  return ReadMerges(model, parts);
}

}  // namespace penstock
