// ReadNormalizer of json_pipeline.h.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/files/json_type.h"
#include "tokenizer/normalizers/bert_normalizer.h"
#include "tokenizer/normalizers/charsmap_normalizer.h"
#include "tokenizer/normalizers/pattern_normalizer.h"
#include "tokenizer/normalizers/text_normalizers.h"
#include "tokenizer/patterns/space_runs.h"
#include "tokenizer/unicode/base64.h"

namespace penstock {
namespace {

using NormalizerOr = StatusOr<std::unique_ptr<const Normalizer>>;

NormalizerOr ReadBert(const JsonObject& json) {
  BertNormalizerOptions options;
  PENSTOCK_ASSIGN_OR_RETURN(options.clean_text, json.Bool("clean_text"));
  PENSTOCK_ASSIGN_OR_RETURN(options.handle_chinese_chars,
                            json.Bool("handle_chinese_chars"));
  PENSTOCK_ASSIGN_OR_RETURN(options.lowercase, json.Bool("lowercase"));
  PENSTOCK_ASSIGN_OR_RETURN(
      options.strip_accents,
      json.BoolOrNull("strip_accents", options.lowercase));
  return std::make_unique<BertNormalizer>(options);
}

NormalizerOr ReadStripNormalizer(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool left, json.Bool("strip_left"));
  PENSTOCK_ASSIGN_OR_RETURN(const bool right, json.Bool("strip_right"));
  using Side = StripNormalizer::Side;
  return std::make_unique<StripNormalizer>(left && right ? Side::kBoth
                                           : left        ? Side::kLeft
                                           : right       ? Side::kRight
                                                         : Side::kNone);
}

NormalizerOr ReadReplaceNormalizer(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(auto pattern, ReadPattern(json));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view content,
                            json.String("content"));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject spelled, json.Object("pattern"));
  MatchedBytes matched;
  if (spelled.Has("String")) {
    PENSTOCK_ASSIGN_OR_RETURN(matched.all, spelled.String("String"));
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(const auto regex, spelled.String("Regex"));
    if (regex == SpaceRuns::kRegex) matched.runs = MatchedBytes::Runs::kSpaces;
    if (regex == "\\s+") matched.runs = MatchedBytes::Runs::kWhiteSpace;
  }
  return std::make_unique<PatternNormalizer>(
      std::move(pattern), std::string(content), std::move(matched));
}

NormalizerOr ReadPrecompiled(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text,
                            json.String("precompiled_charsmap"));
  std::optional<std::string> bytes = DecodeBase64(text);
  if (!bytes) {
    return DataLossError(fmt::format(
        "{}: \"precompiled_charsmap\" is not base64", json.where()));
  }
  auto normalizer = CharsmapNormalizer::Parse(*std::move(bytes));
  if (!normalizer.ok()) return Annotate(normalizer.status(), json.where());
  return *std::move(normalizer);
}

NormalizerOr ReadNormalizers(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto array, json.Array("normalizers"));
  std::vector<std::unique_ptr<const Normalizer>> steps;
  for (const simdjson::dom::element element : array) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const JsonObject step,
        JsonObject::Of(element, fmt::format("{}.normalizers[{}]", json.where(),
                                            steps.size())));
    PENSTOCK_ASSIGN_OR_RETURN(auto normalizer, ReadNormalizer(step));
    steps.push_back(std::move(normalizer));
  }
  return std::make_unique<NormalizerSequence>(std::move(steps));
}

// One without settings; null where `type` is none of those.
std::unique_ptr<const Normalizer> MakePlainNormalizer(std::string_view type) {
  const auto form = [](NormalizationForm form) {
    return std::make_unique<UnicodeNormalizer>(form);
  };
  if (type == "NFC") return form(NormalizationForm::kNfc);
  if (type == "NFD") return form(NormalizationForm::kNfd);
  if (type == "NFKC") return form(NormalizationForm::kNfkc);
  if (type == "NFKD") return form(NormalizationForm::kNfkd);
  if (type == "Lowercase") return std::make_unique<LowercaseNormalizer>();
  if (type == "StripAccents") return std::make_unique<AccentStripper>();
  if (type == "Nmt") return std::make_unique<NmtNormalizer>();
  if (type == "ByteLevel") return std::make_unique<ByteLevelNormalizer>();
  return nullptr;
}

}  // namespace

NormalizerOr ReadNormalizer(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(
      const std::string_view type,
      TypeOf(json, {{"BertNormalizer",
                     {"clean_text", "handle_chinese_chars", "lowercase"}},
                    {"Strip", {"strip_left", "strip_right"}},
                    {"Sequence", {"normalizers"}},
                    {"Replace", {"pattern", "content"}},
                    {"Prepend", {"prepend"}}}));
  if (auto plain = MakePlainNormalizer(type)) return plain;
  if (type == "BertNormalizer") return ReadBert(json);
  if (type == "Strip") return ReadStripNormalizer(json);
  if (type == "Replace") return ReadReplaceNormalizer(json);
  if (type == "Precompiled") return ReadPrecompiled(json);
  if (type == "Sequence") return ReadNormalizers(json);
  if (type == "Prepend") {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view prefix,
                              json.String("prepend"));
    return std::make_unique<PrependNormalizer>(std::string(prefix));
  }
  return UnimplementedError(
      fmt::format("{}: normalizer {}", json.where(), type));
}

}  // namespace penstock
