#include "tokenizer/load.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/crc32c.h"
#include "formats/files/status_or.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/compiled_cache.h"
#include "tokenizer/files/tekken_json.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/files/vocabulary_files.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {
namespace {

using Kind = TokenizerKind;
using TokenizerOr = StatusOr<std::shared_ptr<const Tokenizer>>;

constexpr struct {
  Kind kind;
  std::string_view name;
} kKinds[] = {
    {Kind::kTokenizerJson, "tokenizer-json"},
    {Kind::kTekken, "tekken"},
    {Kind::kTiktoken, "tiktoken"},
    {Kind::kSentencePiece, "sentencepiece"},
    {Kind::kVocabTxt, "vocab-txt"},
    {Kind::kVocabJson, "vocab-json"},
    {Kind::kBytes, "bytes"},
};

std::string_view NameOf(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

// "tokenizer.model.v3", "x.model.v7m1": Mistral's names.
bool IsVersionedModel(std::string_view name) {
  constexpr std::string_view kModel = ".model.v";
  const size_t found = name.rfind(kModel);
  return found != std::string_view::npos &&
         name.find('.', found + kModel.size()) == std::string_view::npos;
}

// kByName where the name does not say.
Kind KindOf(const std::string& path) {
  const std::string_view name = NameOf(path);
  if (path == "bytes") return Kind::kBytes;
  if (name.ends_with("vocab.txt")) return Kind::kVocabTxt;
  if (name.ends_with("vocab.json")) return Kind::kVocabJson;
  if (name.ends_with(".json")) {
    return name.find("tekken") == std::string_view::npos ? Kind::kTokenizerJson
                                                         : Kind::kTekken;
  }
  if (name.ends_with(".tiktoken")) return Kind::kTiktoken;
  if (name.ends_with(".model") || name.ends_with(".spm") ||
      IsVersionedModel(name)) {
    return Kind::kSentencePiece;
  }
  return Kind::kByName;
}

bool HasRules(const LoadOptions& options) {
  return !options.pattern.empty() || !options.pattern_regex.empty() ||
         !options.special_tokens.empty();
}

std::string GivenRule(const LoadOptions& options) {
  if (!options.pattern.empty()) return options.pattern;
  if (!options.pattern_regex.empty()) return options.pattern_regex;
  return options.special_tokens[0].text;
}

Status CheckNoPattern(const std::string& path, const LoadOptions& options) {
  if (!HasRules(options)) return OkStatus();
  return InvalidArgumentError(fmt::format(
      "{}: takes no pattern or special tokens, but \"{}\" was given; only "
      ".tiktoken files do",
      path, GivenRule(options)));
}

TokenizerOr ParseRanks(std::string_view bytes, const std::string& path,
                       const LoadOptions& options) {
  // "/a/cl100k_base.tiktoken" -> "cl100k_base".
  const std::string_view name = NameOf(path);
  const bool named = options.pattern.empty() && options.pattern_regex.empty();
  return ParseTiktoken(
      bytes, path,
      {.pattern = named ? std::string(name.substr(0, name.rfind('.')))
                        : options.pattern,
       .regex = options.pattern_regex,
       .specials = options.special_tokens});
}

// "/a/x-vocab.json" -> "/a/x-merges.txt"; of any other name "/a/merges.txt".
std::string MergesBeside(const std::string& path) {
  constexpr std::string_view kVocab = "vocab.json";
  const size_t kept = path.ends_with(kVocab) ? path.size() - kVocab.size()
                                             : path.rfind('/') + 1;
  return path.substr(0, kept) + "merges.txt";
}

// `merges` are those of a vocab.json.
TokenizerOr Parse(Kind kind, std::string_view bytes, std::string_view merges,
                  const std::string& path, const LoadOptions& options) {
  if (kind == Kind::kTiktoken) return ParseRanks(bytes, path, options);
  PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
  switch (kind) {
    case Kind::kTokenizerJson:
      return ParseTokenizerJson(bytes, path,
                                {.truncation = options.truncation,
                                 .padding = options.padding,
                                 .warnings = options.warnings});
    case Kind::kTekken:
      return ParseTekkenJson(bytes, path);
    case Kind::kSentencePiece:
      return SentencePieceTokenizer::Parse(bytes, path, options.unigram_rules);
    case Kind::kVocabTxt:
      return ParseVocabTxt(bytes, options.keep_case, path);
    default:
      return ParseVocabJson(bytes, merges, path);
  }
}

// Of a file by its name, or of that kind.
TokenizerOr ParseFile(Kind kind, std::string_view bytes,
                      std::string_view merges, const std::string& path,
                      const LoadOptions& options) {
  // The tag of a SentencePiece file's first piece, which base64 never is.
  if (kind == Kind::kSentencePiece && options.kind == Kind::kByName &&
      !bytes.starts_with('\n') && HasRules(options)) {
    kind = Kind::kTiktoken;
  }
  return Parse(kind, bytes, merges, path, options);
}

// What decides such a tokenizer's ids and texts, but for its file.
std::string SettingsOf(Kind kind, std::string_view merges,
                       const std::string& path, const LoadOptions& options) {
  TableWriter settings;
  settings.PutNumber(static_cast<uint64_t>(kind));
  settings.PutNumber(options.kind == Kind::kByName);
  settings.PutText(NameOf(path));
  settings.PutText(options.pattern);
  settings.PutText(options.pattern_regex);
  settings.PutNumber(options.special_tokens.size());
  for (const SpecialToken& token : options.special_tokens) {
    settings.PutText(token.text);
    settings.PutNumber(token.id);
    settings.PutNumber(token.special * 4 + token.normalized * 2 +
                       token.in_text);
  }
  settings.PutNumber(options.keep_case);
  settings.PutNumber(options.truncation);
  settings.PutNumber(options.padding);
  settings.PutNumber(static_cast<uint64_t>(options.unigram_rules));
  settings.PutNumber(merges.size());
  settings.PutNumber(Crc32c(merges));
  return std::string(settings.bytes());
}

TokenizerOr LoadCompiled(Kind kind, std::string_view merges, FileSystem& files,
                         const std::string& path, LoadOptions options) {
  const CompiledCache cache(
      files, path, SettingsOf(kind, merges, path, options),
      options.compiled.folder, options.compiled.least_source_bytes);
  std::vector<std::string>* const told = options.warnings;
  std::vector<std::string> warnings;
  options.warnings = &warnings;
  TokenizerOr tokenizer = cache.Find(warnings);
  if (*tokenizer == nullptr) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadWholeFile(files, path));
    tokenizer = ParseFile(kind, bytes, merges, path, options);
    if (tokenizer.ok()) cache.Keep(**tokenizer, bytes, warnings);
  }
  if (told != nullptr) {
    told->insert(told->end(), warnings.begin(), warnings.end());
  }
  return tokenizer;
}

}  // namespace

std::vector<std::string_view> TokenizerKindNames() {
  std::vector<std::string_view> names;
  for (const auto& known : kKinds) names.push_back(known.name);
  return names;
}

std::optional<TokenizerKind> TokenizerKindByName(std::string_view name) {
  for (const auto& known : kKinds) {
    if (known.name == name) return known.kind;
  }
  return std::nullopt;
}

TokenizerOr LoadTokenizer(FileSystem& files, const std::string& path,
                          LoadOptions options) {
  const Kind kind = options.kind == Kind::kByName ? KindOf(path) : options.kind;
  if (kind == Kind::kByName) {
    return InvalidArgumentError(fmt::format(
        "{}: its name does not tell what tokenizer it is; give its kind, or a "
        "tokenizer.json (*.json), tekken.json, vocab.txt, vocab.json beside "
        "merges.txt, a rank file (*.tiktoken), a SentencePiece model "
        "(*.model, *.spm), or \"bytes\"",
        path));
  }
  if (kind == Kind::kBytes) {
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    return std::make_shared<ByteTokenizer>();
  }
  std::string merges;
  if (kind == Kind::kVocabJson) {
    PENSTOCK_RETURN_IF_ERROR(files.Stat(path).status());
    PENSTOCK_ASSIGN_OR_RETURN(merges, ReadWholeFile(files, MergesBeside(path)));
  }
  if (options.compiled.use) {
    return LoadCompiled(kind, merges, files, path, std::move(options));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                            ReadWholeFile(files, path));
  return ParseFile(kind, bytes, merges, path, options);
}

}  // namespace penstock
