#include "tokenizer/load.h"

#include <fmt/format.h>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/tiktoken.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/files/tokenizer_json.h"
#include "tokenizer/files/vocabulary_files.h"
#include "tokenizer/sentencepiece/sentencepiece_tokenizer.h"

namespace penstock {
namespace {

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

// "/a/cl100k_base.tiktoken" -> "cl100k_base".
std::string Stem(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name =
      slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

StatusOr<std::shared_ptr<const Tokenizer>> ParseRanks(
    std::string_view bytes, const std::string& path,
    const LoadOptions& options) {
  const bool named = options.pattern.empty() && options.pattern_regex.empty();
  return ParseTiktoken(bytes, path,
                       {.pattern = named ? Stem(path) : options.pattern,
                        .regex = options.pattern_regex,
                        .specials = options.special_tokens});
}

// "/a/x-vocab.json" -> "/a/x-merges.txt".
std::string MergesBeside(std::string path) {
  constexpr std::string_view kVocab = "vocab.json";
  path.resize(path.size() - kVocab.size());
  return path + "merges.txt";
}

}  // namespace

StatusOr<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    FileSystem& files, const std::string& path, LoadOptions options) {
  if (path == "bytes") {
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    return std::make_shared<ByteTokenizer>();
  }
  if (path.ends_with("vocab.txt")) {
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadWholeFile(files, path));
    return ParseVocabTxt(bytes, options.keep_case, path);
  }
  if (path.ends_with("vocab.json")) {
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string vocab,
                              ReadWholeFile(files, path));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string merges,
                              ReadWholeFile(files, MergesBeside(path)));
    return ParseVocabJson(vocab, merges, path);
  }
  if (path.ends_with(".json")) {
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadWholeFile(files, path));
    return ParseTokenizerJson(bytes, path);
  }
  if (path.ends_with(".tiktoken")) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadWholeFile(files, path));
    return ParseRanks(bytes, path, options);
  }
  if (path.ends_with(".model")) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadWholeFile(files, path));
    // The tag of a SentencePiece file's first piece, which base64 never is.
    if (!bytes.starts_with('\n') && HasRules(options)) {
      return ParseRanks(bytes, path, options);
    }
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    return SentencePieceTokenizer::Parse(bytes, path, options.unigram_rules);
  }
  return InvalidArgumentError(fmt::format(
      "{}: not a tokenizer; give a tokenizer.json (*.json), vocab.txt, "
      "vocab.json beside merges.txt, a rank "
      "file (*.tiktoken), a SentencePiece model (*.model), or "
      "\"bytes\"",
      path));
}

}  // namespace penstock
