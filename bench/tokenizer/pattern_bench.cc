// What a pattern without a scanner costs: bytes of text a second with it, and
// how much of the speed that a known one has in the same turns.
//
// Cold: the tokenizer sees the text for the first time. Warm: it has just seen
// it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/fixtures.h"
#include "tokenizer/load.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

using testing::FindFixture;
using testing::MissingFixture;

// llama-3's, up to the numbers and behind them.
constexpr std::string_view kWords =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)";
constexpr std::string_view kOthers =
    R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

struct Numbers {
  const char* name;
  const char* regex;
};
constexpr Numbers kKnown = {"known", R"(\p{N}{1,3})"};
constexpr Numbers kUnknown[] = {
    {"by_four", R"(\p{N}{1,4})"},
    // Looks further than one character.
    {"from_the_right", R"(\p{N}{1,3}(?=(?:\p{N}{3})*(?!\p{N})))"},
};

std::shared_ptr<const Tokenizer> Load(const Numbers& numbers) {
  LoadOptions options;
  options.pattern_regex = fmt::format("{}{}{}", kWords, numbers.regex, kOthers);
  auto tokenizer = LoadTokenizer(
      LocalFiles(), FindFixture("tokenizers/cl100k_base.tiktoken"), options);
  return tokenizer.ok() ? *tokenizer : nullptr;
}

// Words of 50,000 different characters of three bytes, in no order.
std::string WideText() {
  constexpr uint32_t kFirst = 0x3400, kCount = 50'000, kRounds = 20;
  std::string text;
  for (uint32_t i = 0; i < kCount * kRounds; ++i) {
    // Before surrogates begin there are letters of three scripts and unassigned
    // places.
    const uint32_t c = kFirst + i * uint64_t{7919} % kCount;
    AppendChar(c < 0xd800 ? c : c - 0xd800 + 0x1000, text);
    if (i % 5 == i % 7) text += ' ';
  }
  return text;
}

std::string TextNamed(const std::string& name) {
  if (name == "wide") return WideText();
  return ReadWholeFile(LocalFiles(), FindFixture("corpora/" + name))
      .value_or("");
}

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * now.tv_nsec;
}

// Of one pass, after one that does not count where `warm`.
double SecondsOf(const Numbers& numbers, std::string_view text, bool warm) {
  const auto tokenizer = Load(numbers);
  std::vector<TokenId> ids;
  if (warm) (void)tokenizer->Encode(text, {}, ids);
  ids.clear();
  const double begin = ProcessorSeconds();
  benchmark::DoNotOptimize(tokenizer->Encode(text, {}, ids));
  return ProcessorSeconds() - begin;
}

void EncodePattern(benchmark::State& state, const Numbers& numbers,
                   const std::string& corpus, bool warm) {
  const std::string text = TextNamed(corpus);
  if (text.empty() || Load(numbers) == nullptr) {
    state.SkipWithError(MissingFixture(corpus).c_str());
    return;
  }
  double unknown = 0, known = 0;
  for (auto _ : state) {
    const double seconds = SecondsOf(numbers, text, warm);
    unknown += seconds;
    known += SecondsOf(kKnown, text, warm);
    state.SetIterationTime(seconds);
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) *
                          static_cast<int64_t>(text.size()));
  state.counters["of_known"] = known / unknown;
}

const bool kRegistered = [] {
  for (const Numbers& numbers : kUnknown) {
    for (const char* corpus : {"moby.txt", "neko.txt", "wide"}) {
      for (const bool warm : {false, true}) {
        const std::string name =
            fmt::format("EncodePattern/{}/{}/{}", numbers.name, corpus,
                        warm ? "warm" : "cold");
        benchmark::RegisterBenchmark(name.c_str(),
                                     [=](benchmark::State& state) {
                                       EncodePattern(state, numbers, corpus,
                                                     warm);
                                     })
            ->Iterations(5)
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
  return true;
}();

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
