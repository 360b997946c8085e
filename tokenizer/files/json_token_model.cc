// ReadTokenModel of json_pipeline.h.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_bpe_model.h"
#include "tokenizer/files/json_merges.h"
#include "tokenizer/files/json_number.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/models/hf_bpe.h"
#include "tokenizer/models/hf_unigram.h"
#include "tokenizer/models/word_level.h"
#include "tokenizer/models/wordpiece.h"

namespace penstock {
namespace {

using ModelOr = StatusOr<std::unique_ptr<const TokenModel>>;

StatusOr<TokenId> CheckId(uint64_t id, std::string_view token) {
  if (id <= kMaxTokenId) return static_cast<TokenId>(id);
  return ResourceExhaustedError(
      fmt::format("model.vocab: \"{}\" has id {}; the limit is {}", token, id,
                  kMaxTokenId));
}

// {"token": id, ...}
StatusOr<Vocabulary> ReadVocabulary(const JsonObject& model) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto vocab, model.Map("vocab"));
  Vocabulary vocabulary;
  vocabulary.Reserve(vocab.size());
  for (const auto field : vocab) {
    uint64_t number = 0;
    if (field.value.get(number) != simdjson::SUCCESS) {
      return DataLossError(fmt::format(
          "model.vocab: the id of \"{}\" is not a whole number", field.key));
    }
    PENSTOCK_ASSIGN_OR_RETURN(const TokenId id, CheckId(number, field.key));
    switch (vocabulary.Add(id, field.key)) {
      case Vocabulary::Added::kYes:
        break;
      case Vocabulary::Added::kIdTaken:
        return DataLossError(fmt::format(
            "model.vocab: \"{}\" has id {}, which another token has", field.key,
            id));
      case Vocabulary::Added::kBytesTaken:
        return DataLossError(
            fmt::format("model.vocab: \"{}\" is given twice", field.key));
    }
  }
  return vocabulary;
}

ModelOr ReadWordPiece(const JsonObject& model, TableReader* tables) {
  WordPieceOptions options;
  PENSTOCK_ASSIGN_OR_RETURN(options.unknown_token, model.String("unk_token"));
  PENSTOCK_ASSIGN_OR_RETURN(options.continuing_prefix,
                            model.String("continuing_subword_prefix"));
  PENSTOCK_ASSIGN_OR_RETURN(options.max_chars_per_word,
                            model.Number("max_input_chars_per_word"));
  if (tables != nullptr) return WordPiece::Load(*tables, std::move(options));
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  return WordPiece::Make(std::move(vocabulary), std::move(options));
}

ModelOr ReadWordLevel(const JsonObject& model, TableReader* tables) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view unknown,
                            model.String("unk_token"));
  if (tables != nullptr) {
    return WordLevel::Load(*tables, std::string(unknown));
  }
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  return std::make_unique<WordLevel>(std::move(vocabulary),
                                     std::string(unknown));
}

// [["token", score], ...]; of two that are alike the later is the one found.
Status ReadScores(const JsonObject& model, Vocabulary& vocabulary,
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
      return DataLossError(fmt::format(
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
  return OkStatus();
}

ModelOr ReadUnigram(const JsonObject& model, TableReader* tables) {
  HfUnigramOptions options;
  uint64_t unknown = 0;
  if (model.Field("unk_id")) {
    PENSTOCK_ASSIGN_OR_RETURN(unknown, model.Number("unk_id"));
    options.unknown = static_cast<TokenId>(unknown);
  }
  PENSTOCK_ASSIGN_OR_RETURN(options.byte_fallback,
                            model.BoolOr("byte_fallback", false));
  if (tables != nullptr) return HfUnigram::Load(*tables, options);
  Vocabulary vocabulary;
  std::vector<double> scores;
  PENSTOCK_RETURN_IF_ERROR(ReadScores(model, vocabulary, scores));
  if (options.unknown && unknown >= scores.size()) {
    return DataLossError(
        fmt::format("model: \"unk_id\" is {}, but there are {} tokens", unknown,
                    scores.size()));
  }
  return HfUnigram::Make(std::move(vocabulary), std::move(scores), options);
}

StatusOr<HfBpeOptions> ReadBpeOptions(const JsonObject& model) {
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
                            model.BoolOrNull("fuse_unk", false));
  PENSTOCK_ASSIGN_OR_RETURN(options.byte_fallback,
                            model.BoolOrNull("byte_fallback", false));
  PENSTOCK_ASSIGN_OR_RETURN(options.whole_pieces_first,
                            model.BoolOrNull("ignore_merges", false));
  return options;
}

ModelOr ReadBpe(const JsonObject& model, TableReader* tables) {
  PENSTOCK_ASSIGN_OR_RETURN(HfBpeOptions options, ReadBpeOptions(model));
  if (tables != nullptr) return HfBpe::Load(*tables, std::move(options));
  PENSTOCK_ASSIGN_OR_RETURN(Vocabulary vocabulary, ReadVocabulary(model));
  Fingerprinter print;
  const auto find = [&](std::string_view spelled) {
    return vocabulary.Find(spelled);
  };
  PENSTOCK_ASSIGN_OR_RETURN(
      MergeTable merges,
      ReadMerges(model, {find, options.continuing_prefix.size()}, print));
  return std::make_unique<HfBpe>(std::move(vocabulary), std::move(merges),
                                 print.Finish(), std::move(options));
}

}  // namespace

ModelOr ReadTokenModel(const JsonObject& model, TableReader* tables) {
  std::string_view type;
  if (model.Has("type")) {
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
  if (type == "BPE") return ReadBpe(model, tables);
  if (type == "WordPiece") return ReadWordPiece(model, tables);
  if (type == "WordLevel") return ReadWordLevel(model, tables);
  if (type == "Unigram") return ReadUnigram(model, tables);
  return UnimplementedError(fmt::format("model {}", type));
}

}  // namespace penstock
