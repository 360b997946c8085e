// ExampleParser against protobuf on the same bytes in the same run.
//
//   text    2 KB of text, an id and a label: 3 features
//   tokens  2048 int64 ids below 100277, as of cl100k_base: 2.8 bytes each
//   wide    30 features of all types, of which 3 are wanted
//
// Rows go to the parser in blocks of 64, as the pipeline gives them, and all 64
// are there at the end; protobuf forgets each before the next.
#include <benchmark/benchmark.h>
#include <google/protobuf/arena.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/example.pb.h"
#include "formats/example/example_parser.h"
#include "formats/example/example_writer.h"

namespace penstock {
namespace {

constexpr size_t kRows = 64;

struct Input {
  std::vector<std::string> records;
  std::vector<std::string_view> views = {};
  std::vector<FeatureSpec> specs;
  int64_t size_bytes = 0;
};

Input Finish(std::vector<std::string> records, std::vector<FeatureSpec> specs) {
  Input input{.records = std::move(records), .specs = std::move(specs)};
  for (const std::string& record : input.records) {
    input.views.push_back(record);
    input.size_bytes += static_cast<int64_t>(record.size());
  }
  return input;
}

const Input& Text() {
  static const Input& input = *new Input([] {
    std::vector<std::string> records(kRows);
    ExampleWriter writer;
    for (size_t i = 0; i < kRows; ++i) {
      writer.SetBytes("text",
                      std::string(2048, static_cast<char>('a' + i % 26)));
      writer.SetBytes("id", "document-" + std::to_string(i));
      writer.SetInts("label", std::vector<int64_t>{static_cast<int64_t>(i)});
      writer.Finish(records[i]);
    }
    return Finish(std::move(records),
                  {{.name = "text", .type = FeatureType::kBytes, .length = 1},
                   {.name = "id", .type = FeatureType::kBytes, .length = 1},
                   {.name = "label", .length = 1}});
  }());
  return input;
}

const Input& Tokens() {
  static const Input& input = *new Input([] {
    std::mt19937_64 random(1);
    std::vector<std::string> records(kRows);
    std::vector<int64_t> ids(2048);
    ExampleWriter writer;
    for (std::string& record : records) {
      for (int64_t& id : ids) id = static_cast<int64_t>(random() % 100277);
      writer.SetInts("tokens", ids);
      writer.Finish(record);
    }
    return Finish(std::move(records), {{.name = "tokens"}});
  }());
  return input;
}

const Input& Wide() {
  static const Input& input = *new Input([] {
    std::mt19937_64 random(2);
    std::vector<std::string> records(kRows);
    ExampleWriter writer;
    for (std::string& record : records) {
      for (int f = 0; f < 30; ++f) {
        const std::string name = "feature_" + std::to_string(f);
        const std::vector<int64_t> ints(1 + f % 4, random() % 1000);
        const std::vector<float> floats(1 + f % 4, 0.5f);
        if (f % 3 == 0) writer.SetInts(name, ints);
        if (f % 3 == 1) writer.SetFloats(name, floats);
        if (f % 3 == 2) writer.SetBytes(name, "some words of text " + name);
      }
      writer.Finish(record);
    }
    return Finish(
        std::move(records),
        {{.name = "feature_6"},
         {.name = "feature_13", .type = FeatureType::kFloat},
         {.name = "feature_20", .type = FeatureType::kBytes, .length = 1}});
  }());
  return input;
}

void Report(benchmark::State& state, const Input& input) {
  state.SetBytesProcessed(state.iterations() * input.size_bytes);
  state.SetItemsProcessed(state.iterations() * kRows);
}

void BM_Penstock(benchmark::State& state, const Input& (*make)()) {
  const Input& input = make();
  const auto parser = ExampleParser::Create(input.specs);
  Examples out;
  for (auto _ : state) {
    out.Clear();
    const Status status = parser->Parse(
        input.views, [](size_t) { return std::string(); }, out);
    if (!status.ok()) state.SkipWithError("the parser failed");
    benchmark::DoNotOptimize(out.columns.data());
  }
  Report(state, input);
}

// One feature of three: what stepping over the others costs.
void BM_PenstockLabelOnly(benchmark::State& state) {
  const Input& input = Text();
  const auto parser = ExampleParser::Create({{.name = "label", .length = 1}});
  Examples out;
  for (auto _ : state) {
    out.Clear();
    const Status status = parser->Parse(
        input.views, [](size_t) { return std::string(); }, out);
    if (!status.ok()) state.SkipWithError("the parser failed");
    benchmark::DoNotOptimize(out.columns.data());
  }
  Report(state, input);
}

void BM_ProtobufHeap(benchmark::State& state, const Input& (*make)()) {
  const Input& input = make();
  wire::Example message;  // its memory is used again, as far as protobuf can
  for (auto _ : state) {
    for (const std::string& record : input.records) {
      if (!message.ParseFromString(record)) state.SkipWithError("refused");
      benchmark::DoNotOptimize(message);
    }
  }
  Report(state, input);
}

void BM_ProtobufArena(benchmark::State& state, const Input& (*make)()) {
  const Input& input = make();
  std::vector<char> first(1 << 20);
  google::protobuf::ArenaOptions options;
  options.initial_block = first.data();
  options.initial_block_size = first.size();
  google::protobuf::Arena arena(options);
  for (auto _ : state) {
    for (const std::string& record : input.records) {
      auto* message =
          google::protobuf::Arena::CreateMessage<wire::Example>(&arena);
      if (!message->ParseFromString(record)) state.SkipWithError("refused");
      benchmark::DoNotOptimize(message);
      arena.Reset();
    }
  }
  Report(state, input);
}

void BM_Write(benchmark::State& state) {
  std::vector<int64_t> ids(2048);
  std::mt19937_64 random(1);
  for (int64_t& id : ids) id = static_cast<int64_t>(random() % 100277);
  ExampleWriter writer;
  std::string out;
  for (auto _ : state) {
    out.clear();
    writer.SetInts("tokens", ids);
    writer.Finish(out);
    benchmark::DoNotOptimize(out.data());
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<int64_t>(out.size()));
  state.SetItemsProcessed(state.iterations());
}

BENCHMARK_CAPTURE(BM_Penstock, text, Text);
BENCHMARK_CAPTURE(BM_ProtobufHeap, text, Text);
BENCHMARK_CAPTURE(BM_ProtobufArena, text, Text);
BENCHMARK(BM_PenstockLabelOnly);
BENCHMARK_CAPTURE(BM_Penstock, tokens, Tokens);
BENCHMARK_CAPTURE(BM_ProtobufHeap, tokens, Tokens);
BENCHMARK_CAPTURE(BM_ProtobufArena, tokens, Tokens);
BENCHMARK_CAPTURE(BM_Penstock, wide, Wide);
BENCHMARK_CAPTURE(BM_ProtobufHeap, wide, Wide);
BENCHMARK_CAPTURE(BM_ProtobufArena, wide, Wide);
BENCHMARK(BM_Write);

}  // namespace
}  // namespace penstock

BENCHMARK_MAIN();
