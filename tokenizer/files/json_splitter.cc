// ReadSplitter, ReadPattern, ReadDelimiters and ReadCharacter of
// json_pipeline.h.
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/files/json_pipeline.h"
#include "tokenizer/files/json_type.h"
#include "tokenizer/patterns/regex_pattern.h"
#include "tokenizer/regex/literal_pattern.h"
#include "tokenizer/regex/regex_facts.h"
#include "tokenizer/regex/regex_parser.h"
#include "tokenizer/splitters/byte_level_splitter.h"
#include "tokenizer/splitters/character_splitters.h"
#include "tokenizer/splitters/metaspace_splitter.h"
#include "tokenizer/splitters/pattern_splitter.h"
#include "tokenizer/splitters/script_splitter.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using SplitterOr = StatusOr<std::unique_ptr<const Splitter>>;

SplitterOr ReadByteLevel(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const ByteLevelFields fields,
                            ReadByteLevelFields(json));
  return std::make_unique<ByteLevelSplitter>(
      ByteLevelSplitterOptions{.add_prefix_space = fields.add_prefix_space,
                               .use_regex = fields.use_regex});
}

// Whether an expression's matches have no U+0020 and look at nothing around.
bool StopsAtSpaces(std::string_view regex) {
  const auto parsed = ParseRegex(regex, RegexSyntax::kOniguruma);
  return parsed.ok() && IsRegular(parsed->root) &&
         std::ranges::none_of(parsed->sets, [](const CharSet& set) {
           return !set.And(CharSet::Of(' ', ' ')).ranges().empty();
         });
}

SplitterOr ReadSplit(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(auto pattern, ReadPattern(json));
  PatternSplitterOptions options;
  PENSTOCK_ASSIGN_OR_RETURN(options.delimiters, ReadDelimiters(json));
  PENSTOCK_ASSIGN_OR_RETURN(options.invert, json.Bool("invert"));
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject spelled, json.Object("pattern"));
  if (spelled.Has("String")) {
    PENSTOCK_ASSIGN_OR_RETURN(const auto text, spelled.String("String"));
    options.at_spaces = text == " ";
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(const auto regex, spelled.String("Regex"));
    options.stops_at_spaces = StopsAtSpaces(regex);
  }
  return std::make_unique<PatternSplitter>(std::move(pattern), options);
}

SplitterOr ReadDigits(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const bool individual,
                            json.Bool("individual_digits"));
  return std::make_unique<DigitSplitter>(
      individual ? DigitSplitter::Runs::kSplit : DigitSplitter::Runs::kKept);
}

SplitterOr ReadFixedLength(const JsonObject& json) {
  uint64_t length = 5;
  if (json.Has("length")) {
    PENSTOCK_ASSIGN_OR_RETURN(length, json.Number("length"));
  }
  if (length == 0) {
    return DataLossError(fmt::format("{}: \"length\" is 0", json.where()));
  }
  return std::make_unique<FixedLengthSplitter>(length);
}

SplitterOr ReadSplitters(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto array, json.Array("pretokenizers"));
  std::vector<std::unique_ptr<const Splitter>> steps;
  for (const simdjson::dom::element element : array) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const JsonObject step,
        JsonObject::Of(element, fmt::format("{}.pretokenizers[{}]",
                                            json.where(), steps.size())));
    PENSTOCK_ASSIGN_OR_RETURN(auto splitter, ReadSplitter(step));
    steps.push_back(std::move(splitter));
  }
  return std::make_unique<SplitterSequence>(std::move(steps));
}

// One without settings; null where `type` is none of those.
std::unique_ptr<const Splitter> MakePlainSplitter(std::string_view type) {
  if (type == "BertPreTokenizer") return std::make_unique<BertSplitter>();
  if (type == "Whitespace") return std::make_unique<WordSplitter>();
  if (type == "WhitespaceSplit") return std::make_unique<WhitespaceSplitter>();
  if (type == "UnicodeScripts") return std::make_unique<ScriptSplitter>();
  return nullptr;
}

}  // namespace

SplitterOr ReadSplitter(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view type, json.String("type"));
  if (auto plain = MakePlainSplitter(type)) {
    return plain;
  }
  if (type == "ByteLevel") return ReadByteLevel(json);
  if (type == "Split") return ReadSplit(json);
  if (type == "Digits") return ReadDigits(json);
  if (type == "FixedLength") return ReadFixedLength(json);
  if (type == "Sequence") return ReadSplitters(json);
  if (type == "Metaspace") {
    PENSTOCK_ASSIGN_OR_RETURN(const MetaspaceOptions options,
                              ReadMetaspace(json));
    return std::make_unique<MetaspaceSplitter>(options);
  }
  if (type == "Punctuation") {
    Delimiters delimiters = Delimiters::kIsolated;
    if (json.Has("behavior")) {
      PENSTOCK_ASSIGN_OR_RETURN(delimiters, ReadDelimiters(json));
    }
    return std::make_unique<PunctuationSplitter>(delimiters);
  }
  if (type == "CharDelimiterSplit") {
    PENSTOCK_ASSIGN_OR_RETURN(const uint32_t c,
                              ReadCharacter(json, "delimiter"));
    return std::make_unique<DelimiterSplitter>(c);
  }
  return UnimplementedError(
      fmt::format("{}: pre-tokenizer {}", json.where(), type));
}

StatusOr<MetaspaceOptions> ReadMetaspace(const JsonObject& json) {
  MetaspaceOptions options;
  PENSTOCK_ASSIGN_OR_RETURN(options.replacement,
                            ReadCharacter(json, "replacement"));
  PENSTOCK_ASSIGN_OR_RETURN(options.split, json.BoolOrNull("split", true));
  if (json.Has("prepend_scheme")) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string_view scheme,
                              json.String("prepend_scheme"));
    if (scheme == "first") {
      options.prepend = PrependScheme::kFirst;
    } else if (scheme == "never") {
      options.prepend = PrependScheme::kNever;
    } else if (scheme != "always") {
      return DataLossError(
          fmt::format("{}: prepend_scheme \"{}\"", json.where(), scheme));
    }
  }
  PENSTOCK_ASSIGN_OR_RETURN(const bool add_prefix_space,
                            json.BoolOrNull("add_prefix_space", true));
  if (!add_prefix_space && options.prepend != PrependScheme::kNever) {
    return DataLossError(
        fmt::format("{}: add_prefix_space is false, but prepend_scheme is not "
                    "\"never\"",
                    json.where()));
  }
  return options;
}

StatusOr<std::unique_ptr<const TextPattern>> ReadPattern(
    const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const JsonObject pattern, json.Object("pattern"));
  if (pattern.fields().size() != 1) {
    return DataLossError(
        fmt::format("{} is not {{\"String\": ...}} or {{\"Regex\": ...}}",
                    pattern.where()));
  }
  const bool literal = pattern.Has("String");
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text,
                            pattern.String(literal ? "String" : "Regex"));
  // The empty string, like the empty expression, matches everywhere.
  auto made = literal && !text.empty()
                  ? LiteralPattern::Make(text)
                  : MakeRegexPattern(text, RegexSyntax::kOniguruma);
  if (!made.ok()) return Annotate(made.status(), json.where());
  return made;
}

StatusOr<Delimiters> ReadDelimiters(const JsonObject& json) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view name,
                            json.String("behavior"));
  if (name == "Removed") return Delimiters::kRemoved;
  if (name == "Isolated") return Delimiters::kIsolated;
  if (name == "MergedWithPrevious") return Delimiters::kMergedWithPrevious;
  if (name == "MergedWithNext") return Delimiters::kMergedWithNext;
  if (name == "Contiguous") return Delimiters::kContiguous;
  return UnimplementedError(fmt::format("{}: behavior {}", json.where(), name));
}

StatusOr<uint32_t> ReadCharacter(const JsonObject& json,
                                 std::string_view name) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::string_view text, json.String(name));
  size_t pos = 0;
  if (!text.empty()) {
    const uint32_t c = NextChar(text, pos);
    if (pos == text.size()) return c;
  }
  return DataLossError(fmt::format("{}: \"{}\" is \"{}\", not one character",
                                   json.where(), name, text));
}

}  // namespace penstock
