// ReadTokenModel of json_pipeline.h.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/files/json_bpe_model.h"
#include "tokenizer/files/json_number.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/models/hf_bpe.h"
#include "tokenizer/models/hf_unigram.h"
#include "tokenizer/models/word_level.h"
#include "tokenizer/models/wordpiece.h"

namespace penstock {
namespace {

using ModelOr = absl::StatusOr<std::unique_ptr<const TokenModel>>;

absl::StatusOr<TokenId> CheckId(uint64_t id, std::string_view token) {
  if (id <= kMaxTokenId) return static_cast<TokenId>(id);
  return absl::ResourceExhaustedError(
      fmt::format("model.vocab: \"{}\" has id {}; the limit is {}", token, id,
                  kMaxTokenId));
}

// {"token": id, ...}
absl::StatusOr<Vocabulary> ReadVocabulary(const JsonObject& model) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject vocab, model.Object("vocab"));
  Vocabulary vocabulary;
  vocabulary.Reserve(vocab.fields().size());
  for (const auto field : vocab.fields()) {
    uint64_t number = 0;
    if (field.value.get(number) != simdjson::SUCCESS) {
      return absl::DataLossError(fmt::format(
          "model.vocab: the id of \"{}\" is not a whole number", field.key));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId id, CheckId(number, field.key));
    switch (vocabulary.Add(id, field.key)) {
      case Vocabulary::Added::kYes:
        break;
      case Vocabulary::Added::kIdTaken:
        return absl::DataLossError(fmt::format(
            "model.vocab: \"{}\" has id {}, which another token has", field.key,
            id));
      case Vocabulary::Added::kBytesTaken:
        return absl::DataLossError(
            fmt::format("model.vocab: \"{}\" is given twice", field.key));
    }
  }
  return vocabulary;
}

ModelOr ReadWordPiece(const JsonObject& model) {
  PENSTOCK_RETURN_IF_ERROR(
      model.OnlyFields({"type", "unk_token", "continuing_subword_prefix",
                        "max_input_chars_per_word", "vocab"}));
  WordPieceOptions options;
  PENSTOCK_ASSIGN_OR_RETURN(options.unknown_token, model.String("unk_token"));
  PENSTOCK_ASSIGN_OR_RETURN(options.continuing_prefix,
                            model.String("continuing_subword_prefix"));
  PENSTOCK_ASSIGN_OR_RETURN(options.max_chars_per_word,
                            model.Number("max_input_chars_per_word"));
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  return WordPiece::Make(std::move(vocabulary), std::move(options));
}

ModelOr ReadWordLevel(const JsonObject& model) {
  PENSTOCK_RETURN_IF_ERROR(model.OnlyFields({"type", "unk_token", "vocab"}));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view unknown,
                            model.String("unk_token"));
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  return std::make_unique<WordLevel>(std::move(vocabulary),
                                     std::string(unknown));
}

// [["token", score], ...]; of two that are alike the later is the one found.
absl::Status ReadScores(const JsonObject& model, Vocabulary& vocabulary,
                        std::vector<double>& scores) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto vocab, model.Array("vocab"));
  std::vector<std::string_view> tokens;
  for (const simdjson::dom::element element : vocab) {
    simdjson::dom::array entry;
    std::string_view token;
    double score = 0;
    if (element.get(entry) != simdjson::SUCCESS || entry.size() != 2 ||
        entry.at(0).get(token) != simdjson::SUCCESS ||
        entry.at(1).get(score) != simdjson::SUCCESS) {
      return absl::DataLossError(fmt::format(
          "model.vocab[{}] is not [\"token\", score]", tokens.size()));
    }
    PENSTOCK_RETURN_IF_ERROR(CheckId(tokens.size(), token).status());
    tokens.push_back(token);
    scores.push_back(AsReferenceReads(score));
  }
  for (size_t i = tokens.size(); i-- > 0;) {
    const auto id = static_cast<TokenId>(i);
    if (vocabulary.Find(tokens[i])) {
      vocabulary.AddForDecoding(id, tokens[i]);
    } else {
      vocabulary.Add(id, tokens[i]);
    }
  }
  return absl::OkStatus();
}

ModelOr ReadUnigram(const JsonObject& model) {
  PENSTOCK_RETURN_IF_ERROR(
      model.OnlyFields({"type", "unk_id", "vocab", "byte_fallback"}));
  Vocabulary vocabulary;
  std::vector<double> scores;
  PENSTOCK_RETURN_IF_ERROR(ReadScores(model, vocabulary, scores));
  HfUnigramOptions options;
  if (model.Field("unk_id")) {
    PENSTOCK_ASSIGN_OR_RETURN(const uint64_t id, model.Number("unk_id"));
    if (id >= scores.size()) {
      return absl::DataLossError(
          fmt::format("model: \"unk_id\" is {}, but there are {} tokens", id,
                      scores.size()));
    }
    options.unknown = static_cast<TokenId>(id);
  }
  PENSTOCK_ASSIGN_OR_RETURN(options.byte_fallback,
                            model.BoolOr("byte_fallback", false));
  return HfUnigram::Make(std::move(vocabulary), std::move(scores), options);
}

struct SpelledPair {
  std::string_view left, right;
};

// "a b" or ["a", "b"].
std::optional<SpelledPair> PairOf(simdjson::dom::element merge) {
  std::string_view text;
  SpelledPair pair;
  if (merge.get(text) == simdjson::SUCCESS) {
    const size_t space = text.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    pair = {text.substr(0, space), text.substr(space + 1)};
    if (pair.right.find(' ') != std::string_view::npos) return std::nullopt;
    return pair;
  }
  simdjson::dom::array parts;
  if (merge.get(parts) != simdjson::SUCCESS || parts.size() != 2 ||
      parts.at(0).get(pair.left) != simdjson::SUCCESS ||
      parts.at(1).get(pair.right) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  return pair;
}

absl::StatusOr<TokenId> IdInMerge(const Vocabulary& vocabulary,
                                  std::string_view spelled, size_t number) {
  if (const auto id = vocabulary.Find(spelled)) return *id;
  return absl::DataLossError(fmt::format(
      "model.merges[{}]: \"{}\" is not in model.vocab", number, spelled));
}

absl::StatusOr<MergeTable> ReadMerges(const JsonObject& model,
                                      const Vocabulary& vocabulary,
                                      size_t prefix_size,
                                      Fingerprinter& print) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto merges, model.Array("merges"));
  MergeTable table;
  uint32_t rank = 0;
  size_t number = 0;
  for (const simdjson::dom::element merge : merges) {
    const size_t i = number++;
    std::string_view text;
    if (merge.get(text) == simdjson::SUCCESS && text.starts_with("#version")) {
      continue;
    }
    const std::optional<SpelledPair> pair = PairOf(merge);
    if (!pair) {
      return absl::DataLossError(fmt::format(
          "model.merges[{}] is neither \"left right\" nor [\"left\", "
          "\"right\"]",
          i));
    }
    if (pair->right.size() < prefix_size) {
      return absl::DataLossError(fmt::format(
          "model.merges[{}]: \"{}\" is shorter than the prefix of continuing "
          "tokens",
          i, pair->right));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId left,
                              IdInMerge(vocabulary, pair->left, i));
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId right,
                              IdInMerge(vocabulary, pair->right, i));
    std::string joined(pair->left);
    joined += pair->right.substr(prefix_size);
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId merged,
                              IdInMerge(vocabulary, joined, i));
    table.Add(left, right, {.rank = rank++, .merged = merged});
    print.Add(uint64_t{left}).Add(uint64_t{right});
  }
  return table;
}

absl::StatusOr<HfBpeOptions> ReadBpeOptions(const JsonObject& model) {
  PENSTOCK_RETURN_IF_ERROR(model.OnlyFields(
      {"type", "dropout", "unk_token", "continuing_subword_prefix",
       "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges",
       "vocab", "merges"}));
  HfBpeOptions options;
  PENSTOCK_ASSIGN_OR_RETURN(options.dropout, ReadDropout(model));
  if (model.Field("unk_token")) {
    PENSTOCK_ASSIGN_OR_RETURN(options.unknown_token, model.String("unk_token"));
  }
  if (model.Field("continuing_subword_prefix")) {
    PENSTOCK_ASSIGN_OR_RETURN(options.continuing_prefix,
                              model.String("continuing_subword_prefix"));
  }
  if (model.Field("end_of_word_suffix")) {
    PENSTOCK_ASSIGN_OR_RETURN(options.word_suffix,
                              model.String("end_of_word_suffix"));
  }
  PENSTOCK_ASSIGN_OR_RETURN(options.fuse_unknown,
                            model.BoolOr("fuse_unk", false));
  PENSTOCK_ASSIGN_OR_RETURN(options.byte_fallback,
                            model.BoolOr("byte_fallback", false));
  PENSTOCK_ASSIGN_OR_RETURN(options.whole_pieces_first,
                            model.BoolOr("ignore_merges", false));
  return options;
}

ModelOr ReadBpe(const JsonObject& model) {
  PENSTOCK_ASSIGN_OR_RETURN(HfBpeOptions options, ReadBpeOptions(model));
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  Fingerprinter print;
  PENSTOCK_ASSIGN_OR_RETURN(
      MergeTable merges,
      ReadMerges(model, vocabulary, options.continuing_prefix.size(), print));
  return std::make_unique<HfBpe>(std::move(vocabulary), std::move(merges),
                                 print.Finish(), std::move(options));
}

}  // namespace

ModelOr ReadTokenModel(const JsonObject& model) {
  std::string_view type;
  if (model.Field("type")) {
    PENSTOCK_ASSIGN_OR_RETURN(type, model.String("type"));
  } else if (model.Field("merges")) {
    type = "BPE";  // files older than the field
  } else if (model.Field("max_input_chars_per_word")) {
    type = "WordPiece";
  } else if (model.Field("unk_token")) {
    type = "WordLevel";
  } else {
    type = "Unigram";
  }
  if (type == "BPE") return ReadBpe(model);
  if (type == "WordPiece") return ReadWordPiece(model);
  if (type == "WordLevel") return ReadWordLevel(model);
  if (type == "Unigram") return ReadUnigram(model);
  return absl::UnimplementedError(fmt::format("model {}", type));
}

}  // namespace penstock
