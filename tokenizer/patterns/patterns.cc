#include "tokenizer/patterns/patterns.h"

#include <algorithm>
#include <array>

#include "tokenizer/patterns/cl100k_scanner.h"
#include "tokenizer/patterns/deepseek_scanner.h"
#include "tokenizer/patterns/gpt2_scanner.h"
#include "tokenizer/patterns/o200k_scanner.h"
#include "tokenizer/patterns/published_specials.h"
#include "tokenizer/patterns/regex_pretokenizer.h"

namespace penstock {
namespace {

enum class Pattern {
  kGpt2,
  kCl100k,
  kLlama3,
  kQwen2,
  kQwen35,
  kO200k,
  kTekken,
  kKimi,
  kDeepSeek,
};

struct NamedEncoding {
  std::string_view name;
  Pattern pattern;
  std::vector<SpecialToken> specials;
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
      {"llama-3", Pattern::kLlama3, Llama3Specials()},
      {"llama-4", Pattern::kO200k, Llama4Specials()},
      {"kimi-k2", Pattern::kKimi, KimiK2Specials()},
      {"qwen2",
       Pattern::kQwen2,
       {{"<|endoftext|>", 151643},
        {"<|im_start|>", 151644},
        {"<|im_end|>", 151645}}},
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
    // OLMo's: what is before its one newline takes those that follow it, too.
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)",
     Pattern::kLlama3},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kQwen2},
    {R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N})"
     R"(| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kQwen35},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
     R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
     R"(|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kTekken},
    {R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?)"
     R"(|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kO200k},
    // Of tokenization_kimi.py.
    {R"([\p{Han}]+|[^\r\n\p{L}\p{N}]?)"
     R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?)"
     R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+)"
     R"([\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*)"
     R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3})"
     R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)",
     Pattern::kKimi},
};

// One after the other, with the carriage returns and newlines that the file
// has as such.
constexpr std::array<std::string_view, 3> kDeepSeekRegexes = {
    R"(\p{N}{1,3})", "[一-龥\u3040-ゟ゠-ヿ]+",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)"
    "|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+"
    "| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"};

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

// tiktoken 0.14's own, which Oniguruma would read otherwise.
constexpr KnownRegex kTiktokenRegexes[] = {
    {R"('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$)"
     R"(|\s+(?!\S)|\s)",
     Pattern::kGpt2},
    {R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+)"
     R"(| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s)",
     Pattern::kCl100k},
};

std::unique_ptr<const PreTokenizer> MakeScanner(Pattern pattern) {
  switch (pattern) {
    case Pattern::kGpt2:
      return std::make_unique<Gpt2Scanner>();
    case Pattern::kCl100k:
      return std::make_unique<Cl100kScanner>(Cl100kSpelling::kTiktoken);
    case Pattern::kLlama3:
      return std::make_unique<Cl100kScanner>(Cl100kSpelling::kLlama3);
    case Pattern::kQwen2:
      return std::make_unique<Cl100kScanner>(Cl100kSpelling::kQwen2);
    case Pattern::kQwen35:
      return std::make_unique<Cl100kScanner>(Cl100kSpelling::kQwen35);
    case Pattern::kO200k:
      return std::make_unique<O200kScanner>(O200kSpelling::kO200k);
    case Pattern::kTekken:
      return std::make_unique<O200kScanner>(O200kSpelling::kTekken);
    case Pattern::kDeepSeek:
      return std::make_unique<DeepSeekScanner>();
    case Pattern::kKimi:
      return std::make_unique<O200kScanner>(O200kSpelling::kKimi);
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
    found.specials = encoding.specials;
  }
  return found;
}

std::unique_ptr<const PreTokenizer> ScannerByName(std::string_view name) {
  for (const Pattern pattern :
       {Pattern::kGpt2, Pattern::kCl100k, Pattern::kLlama3, Pattern::kQwen2,
        Pattern::kQwen35, Pattern::kO200k, Pattern::kTekken, Pattern::kKimi,
        Pattern::kDeepSeek}) {
    auto scanner = MakeScanner(pattern);
    if (scanner->name() == name) return scanner;
  }
  return nullptr;
}

std::unique_ptr<const PreTokenizer> PreTokenizerByRegex(
    std::string_view regex) {
  for (const KnownRegex& known : kKnownRegexes) {
    if (known.regex == regex) return MakeScanner(known.pattern);
  }
  return nullptr;
}

std::unique_ptr<const PreTokenizer> PreTokenizerByRegexes(
    std::span<const std::string_view> regexes) {
  return std::ranges::equal(regexes, kDeepSeekRegexes)
             ? MakeScanner(Pattern::kDeepSeek)
             : nullptr;
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

std::unique_ptr<const PreTokenizer> PreTokenizerByTiktokenRegex(
    std::string_view regex) {
  for (const KnownRegex& known : kTiktokenRegexes) {
    if (known.regex == regex) return MakeScanner(known.pattern);
  }
  return PreTokenizerByRegex(regex);
}

StatusOr<std::unique_ptr<const PreTokenizer>> MakeTiktokenPreTokenizer(
    std::string_view regex) {
  if (auto known = PreTokenizerByTiktokenRegex(regex)) return known;
  return RegexPreTokenizer::Make(regex, RegexRules::kTiktoken);
}

}  // namespace penstock
