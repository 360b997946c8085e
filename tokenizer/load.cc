#include "tokenizer/load.h"

#include <fmt/format.h>

#include "formats/status.h"
#include "tokenizer/byte_tokenizer.h"
#include "tokenizer/sentencepiece_tokenizer.h"
#include "tokenizer/tiktoken.h"
#include "tokenizer/tokenizer_json.h"
#include "tokenizer/vocabulary_files.h"

namespace penstock {
namespace {

absl::Status CheckNoPattern(const std::string& path,
                            const LoadOptions& options) {
  if (options.pattern.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "{}: takes no pattern, but \"{}\" was given; only .tiktoken files do",
      path, options.pattern));
}

// "/a/cl100k_base.tiktoken" -> "cl100k_base".
std::string Stem(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string name =
      slash == std::string::npos ? path : path.substr(slash + 1);
  return name.substr(0, name.rfind('.'));
}

// "/a/x-vocab.json" -> "/a/x-merges.txt".
std::string MergesBeside(std::string path) {
  constexpr std::string_view kVocab = "vocab.json";
  path.resize(path.size() - kVocab.size());
  return path + "merges.txt";
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Tokenizer>> LoadTokenizer(
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
    return ParseTiktoken(
        bytes, path, options.pattern.empty() ? Stem(path) : options.pattern);
  }
  if (path.ends_with(".model")) {
    PENSTOCK_RETURN_IF_ERROR(CheckNoPattern(path, options));
    PENSTOCK_ASSIGN_OR_RETURN(const std::string bytes,
                              ReadWholeFile(files, path));
    return SentencePieceTokenizer::Parse(bytes, path, options.unigram_rules);
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: not a tokenizer; give a tokenizer.json (*.json), vocab.txt, "
      "vocab.json beside merges.txt, a rank "
      "file (*.tiktoken), a SentencePiece model (*.model), or "
      "\"bytes\"",
      path));
}

}  // namespace penstock
