// Text to token ids and back, one line of ids for each document.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/vocabulary/vocabulary.h"
#include "tools/arguments/numbers.h"
#include "tools/programs/corpus_options.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"
#include "tools/programs/token_output.h"
#include "tools/programs/tokenizer_options.h"
#include "tools/programs/vocabulary_training.h"
#include "tools/tokenize/document_ids.h"

namespace penstock {
namespace {

constexpr char kExamples[] = R"(
  echo -n 'hello world' | tokenize --tokenizer cl100k_base.tiktoken
  tokenize --tokenizer gpt2.tokenizer.json book1.txt book2.txt
  tokenize --tokenizer my.tiktoken --pattern cl100k_base book.txt
  find . -name '*.txt' -exec sh -c 'cat "$1"; printf "\0"' _ {} \; |
      tokenize --tokenizer bytes --null-separated
  tokenize --tokenizer spm.model --sample 17 --alpha 0.2 book.txt
  echo 15339 1917 | tokenize --tokenizer cl100k_base.tiktoken --decode
  tokenize --tokenizer my.json --train --size 8192 books/ more.txt.gz
  zstdcat dump.zst | tokenize --tokenizer my.json --train -
  printf 'who?\tme' | tokenize --tokenizer bert.tokenizer.json --pairs --json
  tokenize --tokenizer t5.model --offsets book.txt
  tokenize --tokenizer gpt2.tokenizer.json --count-tokens book.txt | head)";

// "<|endoftext|>=100257".
std::optional<SpecialToken> ReadSpecialToken(std::string_view word) {
  const size_t equals = word.rfind('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  const auto id = ReadWholeNumber(word.substr(equals + 1));
  if (!id || !WholeRange{.least = 0, .most = kMaxTokenId}.Has(*id)) {
    return std::nullopt;
  }
  return SpecialToken{.text = std::string(word.substr(0, equals)),
                      .id = static_cast<TokenId>(id->magnitude)};
}

class Tokenize final : public Program {
 public:
  Tokenize()
      : Program("tokenize",
                "Turns text into token ids, one line for each document.") {
    AddInput();
    AddTokenizer();
    AddSampling();
    AddOutput();
    AddTraining();
    Examples(kExamples);
  }

  Status Run() override;

 private:
  void AddInput();
  void AddTokenizer();
  void AddSampling();
  void AddOutput();
  void AddTraining();
  Status Train();

  TokenizerOptions tokenizer_;
  std::vector<std::string> special_tokens_;
  std::vector<std::string> inputs_ = {"-"};
  TokenizeSettings settings_;
  bool count_tokens_ = false;
  bool train_ = false;
  CorpusOptions corpus_;
  VocabularyOptions training_;
};

void Tokenize::AddInput() {
  ArgumentGroup& input = Group("Input");
  input.Positional("FILE", inputs_,
                   "Files, each one document; \"-\" is standard input");
  input.Flag("--null-separated", settings_.null_separated,
             "Documents end with NUL: in the input, or with --decode in the "
             "output");
  input.Flag("--pairs", settings_.pairs,
             "A document is two texts with a tab between them");
  input
      .Number("--batch", settings_.batch, "N",
              "Documents to pad to the longest of them, where the file says "
              "that texts are padded so")
      .Between(1, 1 << 20);
  input.Flag("--refuse-invalid-utf8", settings_.refuse_invalid_utf8,
             "Fails at bytes that are not UTF-8");
}

void Tokenize::AddTokenizer() {
  ArgumentGroup& tokens = Group("Tokens");
  tokenizer_.AddTo(tokens, "").Required();
  tokens.Option("--pattern-regex", tokenizer_.load.pattern_regex, "REGEX",
                "Instead: the regular expression that cuts text");
  tokens
      .Option("--special-id", special_tokens_, "TEXT=ID",
              "A special token of a .tiktoken file; may be repeated, and "
              "replaces the pattern's")
      .MustBe(fmt::format("TEXT=ID with an ID from 0 to {}", kMaxTokenId),
              [](std::string_view word) {
                return ReadSpecialToken(word).has_value();
              });
  tokens.NoFlag("--no-special-tokens", settings_.special_tokens,
                "Adds none around documents; with --decode, leaves them out");
  tokens.Choice("--special", settings_.special,
                {{"allow", SpecialText::kAllow},
                 {"refuse", SpecialText::kRefuse},
                 {"text", SpecialText::kAsText}},
                "What the text of a special token becomes: its id, an error or "
                "plain text");
}

void Tokenize::AddSampling() {
  ArgumentGroup& sampling = Group("Sampling");
  sampling
      .Number("--nbest", settings_.best, "N",
              "Writes the score and the ids of so many of the best ways to "
              "segment a document, a line each (SentencePiece unigram)")
      .Between(1, 512)
      .Excludes({"--decode", "--offsets", "--json", "--pairs", "--batch"});
  sampling
      .Number("--sample", settings_.sample, "SEED",
              "Draws one way to segment, BPE by dropout, unigram by score; "
              "with --nbest, from those")
      .Excludes({"--decode", "--offsets", "--json", "--pairs", "--batch"});
  sampling
      .Number("--alpha", settings_.alpha, "X",
              "The chance of a merge to be left out, or what scores are "
              "multiplied with")
      .AtLeast(0)
      .DefaultsTo("the file's, else 0.1")
      .Needs("--sample");
}

void Tokenize::AddOutput() {
  ArgumentGroup& output = Group("Output");
  output.Flag("--offsets", settings_.offsets,
              "Writes id:begin:end:word for each token: the characters it came "
              "from and the number of its word");
  output.Flag("--json", settings_.json,
              "Writes an object for each document: ids, tokens, offsets, "
              "words, types, masks, overflowing parts");
  output
      .Flag("--count-tokens", count_tokens_,
            "Writes each token that occurs: id, spelling and count, the most "
            "frequent first; with --json as objects")
      .Excludes({"--decode", "--offsets", "--pairs", "--batch", "--nbest",
                 "--sample"});
  output.Flag("--decode", settings_.decode, "Lines of ids in, text out");
}

void Tokenize::AddTraining() {
  ArgumentGroup& training = Group("Training");
  training.AllNeed("--train");
  training
      .Flag("--train", train_,
            "Learns byte-level BPE from the inputs, which may be all that "
            "datagen reads, and writes it to the tokenizer.json that "
            "--tokenizer names")
      .Excludes({"--decode", "--offsets", "--pattern", "--nbest", "--sample",
                 "--count-tokens"});
  AddTrainingOptions(training, training, training_);
  corpus_.AddTo(training, training);
}

Status Tokenize::Train() {
  training_.inputs = inputs_;
  training_.output = tokenizer_.path;
  return RunVocabularyTraining(training_, corpus_);
}

Status Tokenize::Run() {
  if (train_) return Train();
  for (const std::string& token : special_tokens_) {
    tokenizer_.load.special_tokens.push_back(*ReadSpecialToken(token));
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto tokenizer, tokenizer_.Load());
  TokenCounts counts;
  TokenizeSettings settings = settings_;
  if (count_tokens_) settings.counts = &counts;
  for (const std::string& path : inputs_) {
    PENSTOCK_RETURN_IF_ERROR(TokenizeFile(*tokenizer, settings, path));
  }
  std::string table;
  AppendCounts(*tokenizer, counts,
               settings.json ? CountsForm::kJson : CountsForm::kTable, table);
  return WriteOutput(table);
}

}  // namespace
}  // namespace penstock

int main(int argc, char** argv) {
  penstock::Tokenize tokenize;
  return penstock::RunProgram(tokenize, argc, argv);
}
