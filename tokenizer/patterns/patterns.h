// The pre-tokenizer patterns we know, by name and by regular expression. The
// one file that knows every scanner.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/patterns/pretokenizer.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

// The names of tiktoken's encodings, and of other models' with such files: what
// a .tiktoken file needs beside its ranks.
std::vector<std::string_view> PatternNames();

struct KnownEncoding {
  std::unique_ptr<const PreTokenizer> pretokenizer;  // null: name not known
  std::vector<SpecialToken> specials;                // as published
};
KnownEncoding EncodingByName(std::string_view name);

// The scanner with that PreTokenizer::name(); null where none has it.
std::unique_ptr<const PreTokenizer> ScannerByName(std::string_view name);

// How Hugging Face's files spell them. Null for a regular expression we have no
// scanner for. Compared as text, as engines differ in what near spellings mean.
std::unique_ptr<const PreTokenizer> PreTokenizerByRegex(std::string_view regex);

// The same for several, each of which cuts the pieces of the one before.
std::unique_ptr<const PreTokenizer> PreTokenizerByRegexes(
    std::span<const std::string_view> regexes);

// The same as PreTokenizerByRegex for tiktoken's spellings.
std::unique_ptr<const PreTokenizer> PreTokenizerByTiktokenRegex(
    std::string_view regex);

// One of those, or else what matches the expression.
// Errors:  those of RegexPreTokenizer::Make.
StatusOr<std::unique_ptr<const PreTokenizer>> MakeTiktokenPreTokenizer(
    std::string_view regex);

// What new vocabularies can be trained with: "gpt2", "cl100k", "o200k".
std::vector<std::string_view> TrainingPatternNames();
// One of them as tokenizer.json files spell it; empty for another name.
std::string_view RegexByName(std::string_view name);

}  // namespace penstock
