#include "tokenizer/patterns.h"

#include <string>

#include "tokenizer/cl100k_scanner.h"
#include "tokenizer/gpt2_scanner.h"
#include "tokenizer/o200k_scanner.h"

namespace penstock {
namespace {

enum class Pattern { kGpt2, kCl100k, kLlama3, kO200k };

struct PublishedToken {
  std::string_view text;
  TokenId id;
};

struct NamedEncoding {
  std::string_view name;
  Pattern pattern;
  std::vector<PublishedToken> specials;
};

// Source: tiktoken 0.14, tiktoken_ext/openai_public.py.
const std::vector<NamedEncoding>& NamedEncodings() {
  static const auto& encodings = *new std::vector<NamedEncoding>{
      {"gpt2", Pattern::kGpt2, {{"<|endoftext|>", 50256}}},
      {"r50k_base", Pattern::kGpt2, {{"<|endoftext|>", 50256}}},
      {"p50k_base", Pattern::kGpt2, {{"<|endoftext|>", 50256}}},
      {"p50k_edit",
       Pattern::kGpt2,
       {{"<|endoftext|>", 50256},
        {"<|fim_prefix|>", 50281},
        {"<|fim_middle|>", 50282},
        {"<|fim_suffix|>", 50283}}},
      {"cl100k_base",
       Pattern::kCl100k,
       {{"<|endoftext|>", 100257},
        {"<|fim_prefix|>", 100258},
        {"<|fim_middle|>", 100259},
        {"<|fim_suffix|>", 100260},
        {"<|endofprompt|>", 100276}}},
      {"o200k_base",
       Pattern::kO200k,
       {{"<|endoftext|>", 199999}, {"<|endofprompt|>", 200018}}},
  };
  return encodings;
}

struct KnownRegex {
  std::string_view regex;
  Pattern pattern;
};

// tiktoken's own spelling of cl100k is not here: Oniguruma, which Hugging Face
// uses, reads `{1,3}+` as any number of numbers.
constexpr KnownRegex kKnownRegexes[] = {
    {R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+)"
     R"(|\s+(?!\S)|\s+)",
     Pattern::kGpt2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kLlama3},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kO200k},
};

struct TrainingPattern {
  std::string_view name;
  Pattern pattern;
};

// Those that Hugging Face tokenizers can run, so its spelling of cl100k.
constexpr TrainingPattern kTrainingPatterns[] = {
    {"gpt2", Pattern::kGpt2},
    {"cl100k", Pattern::kLlama3},
    {"o200k", Pattern::kO200k},
};

std::unique_ptr<const PreTokenizer> MakeScanner(Pattern pattern) {
  switch (pattern) {
    case Pattern::kGpt2:
      return std::make_unique<Gpt2Scanner>();
    case Pattern::kCl100k:
      return std::make_unique<Cl100kScanner>(Cl100kSpelling::kTiktoken);
    case Pattern::kLlama3:
      return std::make_unique<Cl100kScanner>(Cl100kSpelling::kLlama3);
    case Pattern::kO200k:
      return std::make_unique<O200kScanner>();
  }
  return nullptr;
}

}  // namespace

std::vector<std::string_view> PatternNames() {
  std::vector<std::string_view> names;
  for (const NamedEncoding& encoding : NamedEncodings()) {
    names.push_back(encoding.name);
  }
  return names;
}

KnownEncoding EncodingByName(std::string_view name) {
  KnownEncoding found;
  for (const NamedEncoding& encoding : NamedEncodings()) {
    if (encoding.name != name) continue;
    found.pretokenizer = MakeScanner(encoding.pattern);
    for (const PublishedToken& token : encoding.specials) {
      found.specials.push_back({std::string(token.text), token.id});
    }
  }
  return found;
}

std::unique_ptr<const PreTokenizer> PreTokenizerByRegex(
    std::string_view regex) {
  for (const KnownRegex& known : kKnownRegexes) {
    if (known.regex == regex) return MakeScanner(known.pattern);
  }
  return nullptr;
}

std::vector<std::string_view> TrainingPatternNames() {
  std::vector<std::string_view> names;
  for (const TrainingPattern& known : kTrainingPatterns) {
    names.push_back(known.name);
  }
  return names;
}

std::string_view RegexByName(std::string_view name) {
  for (const TrainingPattern& training : kTrainingPatterns) {
    if (training.name != name) continue;
    for (const KnownRegex& known : kKnownRegexes) {
      if (known.pattern == training.pattern) return known.regex;
    }
  }
  return {};
}

}  // namespace penstock
