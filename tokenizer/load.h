// Loads a tokenizer from a file. The one file that knows every kind.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

enum class TokenizerKind {
  kByName,         // what the file's name says: see LoadTokenizer
  kBytes,          // the byte tokenizer, which needs no file
  kTokenizerJson,  // Hugging Face's
  kTekken,         // Mistral's tekken.json
  kTiktoken,       // a rank file
  kSentencePiece,
  kVocabTxt,   // BERT's
  kVocabJson,  // GPT-2's, with its merges.txt beside it
};

// "tokenizer-json", "tekken", "tiktoken", "sentencepiece", "vocab-txt",
// "vocab-json", "bytes".
std::vector<std::string_view> TokenizerKindNames();
// Nullopt for another name.
std::optional<TokenizerKind> TokenizerKindByName(std::string_view name);

// A form of a tokenizer that loads within 2 ms, also with a vocabulary of
// 250,000 scored tokens: made at the first load of its source and used from
// then on. docs/tokenizers.md has the rules. Ids are the source's, whatever
// befalls it.
struct CompiledOptions {
  // Whether it is looked for and made.
  bool use = false;
  // Where it is kept; "off" as if `use` were false. By default where the
  // environment variable PENSTOCK_CACHE says, else beside the source or, where
  // that folder cannot be written, in XDG_CACHE_HOME/penstock.
  std::string folder = {};
  // Smaller sources load as fast without.
  uint64_t least_source_bytes = 64 << 10;
};

struct LoadOptions {
  // Which kind of file it is, where its name does not say so.
  TokenizerKind kind = TokenizerKind::kByName;
  // The pre-tokenizer pattern of a .tiktoken file, one of PatternNames(). By
  // default the file's name says ("cl100k_base.tiktoken" -> "cl100k_base").
  std::string pattern;
  // Instead of a named pattern: the regular expression that cuts text.
  std::string pattern_regex;
  // Instead of the pattern's special tokens: their texts and ids.
  std::vector<SpecialToken> special_tokens = {};
  // Keeps capitals and accents of a BERT vocab.txt, which does not say whether
  // it is of a cased model.
  bool keep_case = false;
  // Whether texts are cut and padded as a tokenizer.json says, or not at all.
  // For other files, which say nothing, it means nothing.
  bool truncation = true;
  bool padding = true;
  // Which releases of sentencepiece a .model file's ids are those of. For other
  // files it means nothing.
  UnigramRules unigram_rules = UnigramRules::kSince022;
  CompiledOptions compiled = {};
  // What is loaded otherwise than the file says is appended, a sentence each.
  // May be null.
  std::vector<std::string>* warnings = nullptr;
};

// `path` is, by its name, "*tekken*.json" (kTekken), "*vocab.json"
// (kVocabJson), another "*.json" (kTokenizerJson), "*.tiktoken" (kTiktoken),
// "*.model",
// "*.model.v3" and the like, or "*.spm" (kSentencePiece, but with a pattern a
// rank file where it is one, as Llama 3's is called), "*vocab.txt" (kVocabTxt),
// or "bytes".
// Errors:  kNotFound; kDataLoss for a damaged file; kUnimplemented naming a
//          component we do not have; kInvalidArgument for a pattern that is not
//          known or needed.
StatusOr<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    FileSystem& files, const std::string& path, LoadOptions options = {});

}  // namespace penstock
