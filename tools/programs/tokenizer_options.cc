#include "tools/programs/tokenizer_options.h"

#include <fmt/format.h>

#include <vector>

#include "formats/files/file.h"
#include "tools/programs/output.h"

namespace penstock {

Argument& TokenizerOptions::AddTo(ArgumentGroup& tokens, std::string_view use) {
  Argument& named = tokens.Option(
      "-t,--tokenizer", path, "FILE",
      fmt::format("tokenizer.json, .tiktoken or SentencePiece .model file, "
                  "tekken.json, vocab.txt, vocab.json, or \"bytes\"{}{}",
                  use.empty() ? "" : "; ", use));
  tokens
      .Choice("--tokenizer-kind", load.kind,
              {{"tokenizer-json", TokenizerKind::kTokenizerJson},
               {"tekken", TokenizerKind::kTekken},
               {"tiktoken", TokenizerKind::kTiktoken},
               {"sentencepiece", TokenizerKind::kSentencePiece},
               {"vocab-txt", TokenizerKind::kVocabTxt},
               {"vocab-json", TokenizerKind::kVocabJson}},
              "What kind of file it is")
      .DefaultsTo("by its name")
      .Needs("--tokenizer");
  tokens
      .Option("--pattern", load.pattern, "NAME",
              "The encoding of a .tiktoken file whose name does not tell, such "
              "as cl100k_base, llama-4 or kimi-k2")
      .Needs("--tokenizer");
  tokens
      .NoFlag("--no-truncation", load.truncation,
              "Cuts no text, though a tokenizer.json says so")
      .Needs("--tokenizer");
  tokens
      .NoFlag("--no-padding", load.padding,
              "Pads no text, though a tokenizer.json says so")
      .Needs("--tokenizer");
  tokens
      .Option(
          "--compiled-tokenizer", load.compiled.folder, "FOLDER",
          "Where a form of the tokenizer is kept that the next start loads "
          "within 2 ms, or \"off\", as PENSTOCK_CACHE says for all programs; "
          "~/.cache/penstock where the default cannot be written")
      .DefaultsTo("beside it")
      .Needs("--tokenizer");
  return named;
}

StatusOr<std::shared_ptr<const Tokenizer>> TokenizerOptions::Load() const {
  std::vector<std::string> warnings;
  LoadOptions options = load;
  options.warnings = &warnings;
  auto tokenizer = LoadTokenizer(LocalFiles(), path, std::move(options));
  for (const std::string& warning : warnings) PrintError("{}\n", warning);
  return tokenizer;
}

}  // namespace penstock
