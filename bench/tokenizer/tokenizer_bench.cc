// Bytes of text tokenized a second, on one thread but for EncodeBatch.
//
// Cold: the tokenizer sees the text for the first time, so no piece is known.
// Warm: it has just seen the same text.
// Grown: it sees more and more text for the first time, in megabytes.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
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

// `text` over and over, each time with other words: one of eight gets three
// letters of the round, drawn so that early rounds are as hard as late ones.
std::string Grown(std::string_view text, size_t size_bytes) {
  std::string grown;
  grown.reserve(size_bytes + 2 * text.size());
  for (size_t round = 0; grown.size() < size_bytes; ++round) {
    size_t words = 0;
    for (const char c : text) {
      if (c == ' ' && ++words % 8 == 0) {
        for (size_t letter = 0, rest = round * 7919; letter < 3; ++letter) {
          grown += static_cast<char>('a' + rest % 26);
          rest /= 26;
        }
      }
      grown += c;
    }
  }
  return grown;
}

// Of moby.txt; empty where that is not there.
std::string GrownMoby(benchmark::State& state, size_t size_bytes) {
  const auto text =
      ReadWholeFile(LocalFiles(), FindFixture("corpora/moby.txt"));
  if (text.ok()) return Grown(*text, size_bytes);
  state.SkipWithError(MissingFixture("moby.txt").c_str());
  return {};
}

// Of this thread, as the speeds of most benchmarks here are: what others do on
// the machine counts little.
double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

double ResidentBytes() {
  uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * 4096;
}

// One pass over a corpus that grows, by documents of 10 KB; `onward` is the
// speed of its second half alone, `memory` what the tokenizer remembers then.
void EncodeGrown(benchmark::State& state, const std::string& vocabulary) {
  constexpr size_t kDocumentBytes = 10'000;
  const std::string text =
      GrownMoby(state, static_cast<size_t>(state.range(0)) * 1'000'000);
  if (text.empty()) return;
  double onward = 0;
  double memory = 0;
  std::vector<TokenId> ids;
  for (auto _ : state) {
    state.PauseTiming();
    const auto tokenizer = Load(state, vocabulary);
    if (tokenizer == nullptr) return;
    state.ResumeTiming();
    double half = 0;
    for (size_t at = 0; at < text.size(); at += kDocumentBytes) {
      if (at <= text.size() / 2) half = ProcessorSeconds();
      ids.clear();
      const auto document = std::string_view(text).substr(at, kDocumentBytes);
      benchmark::DoNotOptimize(tokenizer->Encode(document, {}, ids));
    }
    onward += ProcessorSeconds() - half;
    state.PauseTiming();
    memory = ResidentBytes();
    tokenizer->ForgetTexts();
    memory -= ResidentBytes();
    state.ResumeTiming();
  }
  state.counters["memory"] = benchmark::Counter(
      memory, benchmark::Counter::kDefaults, benchmark::Counter::kIs1024);
  const auto bytes = static_cast<double>(text.size() * state.iterations());
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
  state.counters["onward"] =
      benchmark::Counter(bytes / 2 / onward, benchmark::Counter::kDefaults,
                         benchmark::Counter::kIs1024);
}

// Texts of `text_bytes` that a tokenizer sees for the first time, by so many
// threads: of the clock on the wall.
void EncodeBatch(benchmark::State& state, const std::string& vocabulary,
                 size_t text_bytes) {
  constexpr size_t kBytes = 64'000'000;
  const std::string all = GrownMoby(state, kBytes);
  if (all.empty()) return;
  std::vector<std::string_view> texts;
  for (size_t at = 0; at < all.size(); at += text_bytes) {
    texts.push_back(std::string_view(all).substr(at, text_bytes));
  }
  const auto threads = static_cast<size_t>(state.range(0));
  Encodings rows;
  for (auto _ : state) {
    state.PauseTiming();
    const auto tokenizer = Load(state, vocabulary);
    if (tokenizer == nullptr) return;
    rows.Clear();
    state.ResumeTiming();
    benchmark::DoNotOptimize(
        tokenizer->EncodeBatch(texts, {}, rows, {.threads = threads}));
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(all.size()));
}

void LoadFile(benchmark::State& state, const std::string& vocabulary) {
  for (auto _ : state) {
    if (Load(state, vocabulary) == nullptr) break;
  }
}

// Of the compiled form, and with it the first ids: what waits until a piece
// asks for it is in them.
void LoadCompiled(benchmark::State& state, const std::string& vocabulary,
                  bool encodes) {
  const std::string folder =
      std::filesystem::temp_directory_path() / "penstock_tokenizer_bench";
  const LoadOptions options = {.compiled = {.use = true, .folder = folder}};
  const std::string path = FindFixture("tokenizers/" + vocabulary);
  if (!LoadTokenizer(LocalFiles(), path, options).ok()) {
    state.SkipWithError(MissingFixture(vocabulary).c_str());
    return;
  }
  std::vector<TokenId> ids;
  for (auto _ : state) {
    const auto tokenizer = LoadTokenizer(LocalFiles(), path, options);
    if (encodes) {
      benchmark::DoNotOptimize(
          (*tokenizer)->Encode("an unheardofpiecelongerthanthat", {}, ids));
    }
  }
  std::filesystem::remove_all(folder);
}

const bool kRegistered = [] {
  for (const char* vocabulary :
       {"gpt2.tokenizer.json", "cl100k_base.tiktoken", "o200k_base.tiktoken"}) {
    const std::string name = vocabulary;
    benchmark::RegisterBenchmark(
        ("Load/" + name).c_str(),
        [name](benchmark::State& state) { LoadFile(state, name); })
        ->Unit(benchmark::kMillisecond);
    for (const bool encodes : {false, true}) {
      benchmark::RegisterBenchmark(
          ((encodes ? "LoadCompiledAndEncode/" : "LoadCompiled/") + name)
              .c_str(),
          [=](benchmark::State& state) { LoadCompiled(state, name, encodes); })
          ->Unit(benchmark::kMillisecond);
    }
    benchmark::RegisterBenchmark(
        ("EncodeGrown/" + name).c_str(),
        [name](benchmark::State& state) { EncodeGrown(state, name); })
        ->Arg(10)
        ->Arg(100)
        ->Arg(1000)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
    for (const bool one_text : {false, true}) {
      benchmark::RegisterBenchmark(
          ("EncodeBatch/" + name + (one_text ? "/one_text" : "/documents"))
              .c_str(),
          [=](benchmark::State& state) {
            EncodeBatch(state, name, one_text ? SIZE_MAX : 10'000);
          })
          ->ArgName("threads")
          ->Arg(1)
          ->Arg(2)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
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
