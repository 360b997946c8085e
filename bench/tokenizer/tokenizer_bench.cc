// Bytes of text tokenized a second, on one thread.
//
// Cold: the tokenizer sees the text for the first time, so no piece is known.
// Warm: it has just seen the same text.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/fixtures.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using testing::FindFixture;
using testing::MissingFixture;

std::shared_ptr<const Tokenizer> Load(benchmark::State& state,
                                      const std::string& name) {
  const std::string path = FindFixture("tokenizers/" + name);
  auto tokenizer = LoadTokenizer(LocalFiles(), path);
  if (tokenizer.ok()) return *tokenizer;
  state.SkipWithError(MissingFixture(name).c_str());
  return nullptr;
}

void Encode(benchmark::State& state, const std::string& vocabulary,
            const std::string& corpus, bool warm) {
  auto tokenizer = Load(state, vocabulary);
  const auto text =
      ReadWholeFile(LocalFiles(), FindFixture("corpora/" + corpus));
  if (tokenizer == nullptr || !text.ok()) {
    state.SkipWithError(MissingFixture(corpus).c_str());
    return;
  }
  std::vector<TokenId> ids;
  if (warm) (void)tokenizer->Encode(*text, {}, ids);
  for (auto _ : state) {
    if (!warm) {
      state.PauseTiming();
      tokenizer = Load(state, vocabulary);
      state.ResumeTiming();
    }
    ids.clear();
    benchmark::DoNotOptimize(tokenizer->Encode(*text, {}, ids));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(text->size()));
  state.counters["ids"] = static_cast<double>(ids.size());
}

void LoadFile(benchmark::State& state, const std::string& vocabulary) {
  for (auto _ : state) {
    if (Load(state, vocabulary) == nullptr) break;
  }
}

const bool kRegistered = [] {
  for (const char* vocabulary :
       {"gpt2.tokenizer.json", "cl100k_base.tiktoken", "o200k_base.tiktoken"}) {
    const std::string name = vocabulary;
    benchmark::RegisterBenchmark(
        ("Load/" + name).c_str(),
        [name](benchmark::State& state) { LoadFile(state, name); })
        ->Unit(benchmark::kMillisecond);
    for (const char* corpus : {"moby.txt", "neko.txt"}) {
      for (const bool warm : {false, true}) {
        benchmark::RegisterBenchmark(
            ("Encode/" + name + "/" + corpus + (warm ? "/warm" : "/cold"))
                .c_str(),
            [=](benchmark::State& state) { Encode(state, name, corpus, warm); })
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
