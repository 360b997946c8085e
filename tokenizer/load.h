// Loads a tokenizer from a file. The one file that knows every kind.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

struct LoadOptions {
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
  // Which releases of sentencepiece a .model file's ids are those of. For other
  // files it means nothing.
  UnigramRules unigram_rules = UnigramRules::kSince022;
};

// `path` is a tokenizer.json, a .tiktoken file (or with a pattern a .model, as
// Llama 3's is called), a SentencePiece .model file,
// BERT's *vocab.txt, GPT-2's *vocab.json with its merges.txt beside it, or
// "bytes", which is the byte tokenizer and needs no file.
// Errors:  kNotFound; kDataLoss for a damaged file; kUnimplemented naming a
//          component we do not have; kInvalidArgument for a pattern that is not
//          known or needed.
StatusOr<std::shared_ptr<const Tokenizer>> LoadTokenizer(
    FileSystem& files, const std::string& path, LoadOptions options = {});

}  // namespace penstock
