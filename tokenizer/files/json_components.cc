#include "tokenizer/files/json_components.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_bpe_model.h"
#include "tokenizer/files/json_type.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/normalizers/text_normalizers.h"
#include "tokenizer/patterns/character_pretokenizer.h"
#include "tokenizer/patterns/gpt2_scanner.h"
#include "tokenizer/patterns/patterns.h"
#include "tokenizer/patterns/regex_pretokenizer.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"

namespace penstock {
namespace {

// Of a Sequence, each within the one before.
constexpr size_t kMaxSteps = 16;

Status Missing(std::string_view component, std::string_view type) {
  return UnimplementedError(fmt::format("{} {}", component, type));
}

StatusOr<RegexRules> ReadSplitRules(const JsonObject& split) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view behaviour,
                            split.String("behavior"));
  PENSTOCK_ASSIGN_OR_RETURN(const bool invert, split.Bool("invert"));
  if (behaviour == "Isolated" && !invert) return RegexRules::kIsolated;
  if (behaviour == "Removed" && invert) return RegexRules::kInverted;
  return Missing(split.where(),
                 fmt::format("Split with behavior {}{}", behaviour,
                             invert ? ", inverted" : ""));
}

StatusOr<std::string_view> ReadSplitRegex(const JsonObject& split) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject pattern, split.Object("pattern"));
  if (!pattern.Has("Regex") || pattern.fields().size() != 1) {
    return Missing(split.where(), "Split by a string");
  }
  return pattern.String("Regex");
}

Status ReadSplit(const JsonObject& split, BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const RegexRules rules, ReadSplitRules(split));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view regex,
                            ReadSplitRegex(split));
  // It leaves nothing unmatched.
  if (auto scanner = PreTokenizerByRegex(regex)) {
    parts.pretokenizers.push_back(std::move(scanner));
    return OkStatus();
  }
  auto made = RegexPreTokenizer::Make(regex, rules);
  if (!made.ok()) return Missing(split.where(), made.status().message());
  parts.pretokenizers.push_back(*std::move(made));
  return OkStatus();
}

using CharacterKind = CharacterPreTokenizer::Kind;
using CharacterRuns = CharacterPreTokenizer::Runs;

Status ReadDigits(const JsonObject& json, CharacterKind kind, BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool individual,
                            json.Bool("individual_digits"));
  parts.pretokenizers.push_back(std::make_unique<CharacterPreTokenizer>(
      kind, individual ? CharacterRuns::kSplit : CharacterRuns::kKept));
  return OkStatus();
}

Status ReadPunctuation(const JsonObject& json, BpeParts& parts) {
  std::string_view behavior = "Isolated";
  if (json.Has("behavior")) {
    PENSTOCK_ASSIGN_OR_RETURN(behavior, json.String("behavior"));
  }
  if (behavior != "Isolated" && behavior != "Contiguous") {
    return Missing(json.where(),
                   fmt::format("Punctuation with behavior {}", behavior));
  }
  parts.pretokenizers.push_back(std::make_unique<CharacterPreTokenizer>(
      CharacterKind::kPunctuation,
      behavior == "Isolated" ? CharacterRuns::kSplit : CharacterRuns::kKept));
  return OkStatus();
}

// Whether an expression matches in text that byte_alphabet.h spelled what it
// matches in the text: characters that stand for themselves.
bool MatchesSpelledAlike(std::string_view regex) {
  const auto parsed = ParseRegex(regex, RegexSyntax::kOniguruma);
  return parsed.ok() && IsRegular(parsed->root) &&
         std::ranges::all_of(parsed->sets, [](const CharSet& set) {
           return set.And(CharSet::Of('!', '~')) == set;
         });
}

// Behind ByteLevel, which spelled the text.
Status ReadSpelledStep(const JsonObject& step, std::string_view type,
                       BpeParts& parts) {
  if (type == "Digits") {
    return ReadDigits(step, CharacterKind::kSpelledNumbers, parts);
  }
  if (type == "Split") {
    PENSTOCK_ASSIGN_OR_RETURN(const RegexRules rules, ReadSplitRules(step));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view regex,
                              ReadSplitRegex(step));
    if (rules == RegexRules::kIsolated && MatchesSpelledAlike(regex)) {
      return ReadSplit(step, parts);
    }
  }
  return Missing(step.where(), fmt::format("{} behind ByteLevel", type));
}

Status ReadByteLevel(const JsonObject& json, BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const ByteLevelFields fields,
                            ReadByteLevelFields(json));
  parts.add_prefix_space = fields.add_prefix_space;
  if (parts.add_prefix_space && !parts.pretokenizers.empty()) {
    return Missing(json.where(),
                   "ByteLevel with add_prefix_space behind others");
  }
  if (fields.use_regex) {
    parts.pretokenizers.push_back(std::make_unique<Gpt2Scanner>());
  }
  return OkStatus();
}

// Empty where there is none, which the other path guesses.
StatusOr<std::string_view> GivenType(const JsonObject& json) {
  if (!json.Field("type")) return std::string_view();
  return json.String("type");
}

StatusOr<std::vector<JsonObject>> ReadSteps(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto steps, json.Array("pretokenizers"));
  if (steps.size() > kMaxSteps) {
    return Missing(json.where(), "Sequence of that many");
  }
  std::vector<JsonObject> read;
  for (const simdjson::dom::element element : steps) {
    PENSTOCK_ASSIGN_OR_RETURN(JsonObject step,
                              JsonObject::Of(element, json.where()));
    read.push_back(std::move(step));
  }
  return read;
}

// How many of the first steps one scanner does, which is then added.
StatusOr<size_t> ReadKnownSplits(std::span<const JsonObject> steps,
                                 BpeParts& parts) {
  std::vector<std::string_view> regexes;
  for (const JsonObject& step : steps) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, GivenType(step));
    if (type != "Split") break;
    PENSTOCK_ASSIGN_OR_RETURN(const RegexRules rules, ReadSplitRules(step));
    if (rules != RegexRules::kIsolated) break;
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view regex,
                              ReadSplitRegex(step));
    regexes.push_back(regex);
  }
  auto scanner = PreTokenizerByRegexes(regexes);
  if (scanner == nullptr) return 0;
  parts.pretokenizers.push_back(std::move(scanner));
  return regexes.size();
}

Status ReadSequence(const JsonObject& json, BpeParts& parts) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<JsonObject> steps,
                            ReadSteps(json));
  PENSTOCK_ASSIGN_OR_RETURN(const size_t known, ReadKnownSplits(steps, parts));
  bool byte_level_seen = false;
  for (const JsonObject& step : std::span(steps).subspan(known)) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, GivenType(step));
    if (byte_level_seen) {
      PENSTOCK_RETURN_IF_ERROR(ReadSpelledStep(step, type, parts));
    } else if (type == "Split") {
      PENSTOCK_RETURN_IF_ERROR(ReadSplit(step, parts));
    } else if (type == "Digits") {
      PENSTOCK_RETURN_IF_ERROR(
          ReadDigits(step, CharacterKind::kNumbers, parts));
    } else if (type == "Punctuation") {
      PENSTOCK_RETURN_IF_ERROR(ReadPunctuation(step, parts));
    } else if (type == "ByteLevel") {
      PENSTOCK_RETURN_IF_ERROR(ReadByteLevel(step, parts));
      byte_level_seen = true;
    } else {
      return Missing(json.where(), fmt::format("Sequence with {}", type));
    }
  }
  if (byte_level_seen) return OkStatus();
  return Missing(json.where(), "Sequence without ByteLevel");
}

}  // namespace

Status ReadPreTokenizer(const JsonObject& root, BpeParts& parts) {
  if (!root.Field("pre_tokenizer")) {
    return Missing("pre_tokenizer", "null: not byte-level");
  }
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json,
                            root.Object("pre_tokenizer"));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, GivenType(json));
  if (type == "ByteLevel") return ReadByteLevel(json, parts);
  if (type == "Sequence") return ReadSequence(json, parts);
  return Missing(json.where(), type);
}

Status CheckBytes(const BpeParts& parts) {
  const PreTokenizers& cutters = parts.pretokenizers;
  if (cutters.empty() ||
      (cutters.size() == 1 && ScannerByName(cutters[0]->name()) != nullptr)) {
    return OkStatus();
  }
  const auto byte = ByteWithoutToken(parts.vocabulary);
  if (!byte) return OkStatus();
  return Missing("pre_tokenizer",
                 fmt::format("where the byte 0x{:02X} has no token", *byte));
}

Status CheckDecoder(const JsonObject& root) {
  if (!root.Field("decoder")) return Missing("decoder", "null");
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("decoder"));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, GivenType(json));
  if (type == "ByteLevel") return ReadByteLevelFields(json).status();
  return Missing(json.where(), type);
}

Status ReadNfc(const JsonObject& root, BpeParts& parts) {
  if (!root.Field("normalizer")) return OkStatus();
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject json, root.Object("normalizer"));
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, GivenType(json));
  if (type == "Sequence") {
    PENSTOCK_ASSIGN_OR_RETURN(const auto steps, json.Array("normalizers"));
    if (steps.size() == 0) return OkStatus();
  }
  if (type != "NFC") return Missing(json.where(), type);
  parts.normalizer =
      std::make_unique<UnicodeNormalizer>(NormalizationForm::kNfc);
  parts.normalizer_print = Fingerprinter().Add(type).Finish();
  return OkStatus();
}

Status TakeAddedTokens(const std::vector<AddedToken>& tokens, BpeParts& parts) {
  for (const AddedToken& token : tokens) {
    if (parts.vocabulary.Has(token.id) &&
        FindSpelled(parts, token.content) != token.id) {
      return Missing(
          "added token",
          fmt::format("\"{}\" with an id of model.vocab", token.content));
    }
    parts.specials.push_back({.text = token.content,
                              .id = token.id,
                              .special = token.special,
                              .normalized = token.normalized,
                              .single_word = token.single_word,
                              .strip_left = token.strip_left,
                              .strip_right = token.strip_right});
  }
  return OkStatus();
}

Status CheckNormalizedTokens(const BpeParts& parts) {
  if (parts.normalizer == nullptr) return OkStatus();
  for (const SpecialToken& token : parts.specials) {
    if (!token.normalized || parts.normalizer->Keeps(token.text)) continue;
    return Missing("added token",
                   fmt::format("\"{}\", not as normalized", token.text));
  }
  return OkStatus();
}

}  // namespace penstock
