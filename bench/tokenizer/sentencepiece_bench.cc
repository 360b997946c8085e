// SentencePiece models on one thread: a line of text at a time, and all of it
// as one text. tools/interop/compare_sentencepiece.py --bench-binary prints the
// reference's numbers beside these.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/fixtures.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using testing::FindFixture;
using testing::MissingFixture;

struct Input {
  std::shared_ptr<const Tokenizer> tokenizer;  // null without the fixtures
  std::string text;
  std::vector<std::string_view> documents;
};

std::unique_ptr<Input> Read(benchmark::State& state, const std::string& model,
                            const std::string& corpus, bool by_line) {
  auto input = std::make_unique<Input>();
  auto tokenizer =
      LoadTokenizer(LocalFiles(), FindFixture("tokenizers/" + model));
  auto text = ReadWholeFile(LocalFiles(), FindFixture("corpora/" + corpus));
  if (!tokenizer.ok() || !text.ok()) {
    state.SkipWithError(MissingFixture(model).c_str());
    return nullptr;
  }
  input->tokenizer = *tokenizer;
  input->text = *std::move(text);
  std::string_view rest = input->text;
  while (by_line && rest.find('\n') != rest.npos) {
    input->documents.push_back(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(rest.find('\n') + 1);
  }
  input->documents.push_back(rest);
  return input;
}

void Encode(benchmark::State& state, const std::string& model,
            const std::string& corpus, bool by_line) {
  const auto input = Read(state, model, corpus, by_line);
  if (input == nullptr) return;
  std::vector<TokenId> ids;
  for (auto _ : state) {
    ids.clear();
    for (const std::string_view document : input->documents) {
      benchmark::DoNotOptimize(input->tokenizer->Encode(document, {}, ids));
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(input->text.size()));
  state.counters["ids"] = static_cast<double>(ids.size());
}

void Decode(benchmark::State& state, const std::string& model,
            const std::string& corpus) {
  const auto input = Read(state, model, corpus, false);
  if (input == nullptr) return;
  std::vector<TokenId> ids;
  std::string text;
  benchmark::DoNotOptimize(input->tokenizer->Encode(input->text, {}, ids));
  for (auto _ : state) {
    text.clear();
    benchmark::DoNotOptimize(input->tokenizer->Decode(ids, {}, text));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(text.size()));
}

void LoadFile(benchmark::State& state, const std::string& model) {
  const std::string path = FindFixture("tokenizers/" + model);
  for (auto _ : state) {
    const auto tokenizer = LoadTokenizer(LocalFiles(), path);
    if (!tokenizer.ok()) state.SkipWithError(MissingFixture(model).c_str());
  }
}

const bool kRegistered = [] {
  struct {
    const char *model, *corpus;
  } const inputs[] = {{"sentencepiece-unigram-en.model", "moby.txt"},
                      {"sentencepiece-unigram-ja.model", "neko.txt"}};
  for (const auto& [model, corpus] : inputs) {
    const std::string m = model, c = corpus, name = m + "/" + c;
    auto add = [](const std::string& what, auto run) {
      benchmark::RegisterBenchmark(what.c_str(), run)
          ->Unit(benchmark::kMillisecond);
    };
    add("Load/" + m, [=](benchmark::State& state) { LoadFile(state, m); });
    for (const bool by_line : {true, false}) {
      add("Encode/" + name + (by_line ? "/lines" : "/whole"),
          [=](benchmark::State& state) { Encode(state, m, c, by_line); });
    }
    add("Decode/" + name,
        [=](benchmark::State& state) { Decode(state, m, c); });
  }
  return true;
}();

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
