// Functions of a user's own over rows, and the columns that reach a batch.
#include "pipeline/row_function.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "formats/files/file.h"
#include "pipeline/graph/stages.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class RowFunctionsTest : public ::testing::Test {
 protected:
  Dataset Read() {
    return Dataset::TfRecords(pattern_).Parse({kId, {.name = "tokens"}});
  }
  static Dataset Batched(const Dataset& dataset) {
    return dataset.Shuffle({.seed = 4})
        .Repeat({.epochs = 2})
        .Bucket({.by = "tokens", .lengths = {8, 20}})
        .Batch({.size = 6});
  }
  std::string Explained(const Dataset& dataset) {
    auto pipeline = Compile(dataset, {});
    EXPECT_OK(pipeline);
    return pipeline.ok() ? pipeline->Explain() : "";
  }
  // A function that turns each token into one that the row's key draws.
  static Dataset Noisy(const Dataset& dataset, uint64_t seed = 0) {
    return dataset.Map(
        {.name = "noise", .seed = seed}, [](const RowChunk& chunk) {
          Column& tokens = chunk.rows.columns[1];
          for (size_t row = 0; row < chunk.rows.rows; ++row) {
            for (uint64_t v = tokens.row_offsets[row];
                 v < tokens.row_offsets[row + 1]; ++v) {
              tokens.ints[v] = static_cast<int64_t>(chunk.keys[row] % 1000);
            }
          }
          return OkStatus();
        });
  }
  static Dataset WithoutThirds(const Dataset& dataset) {
    return dataset.Filter(
        {.name = "thirds"}, [](const RowChunk& chunk, std::vector<bool>& keep) {
          for (size_t row = 0; row < chunk.rows.rows; ++row) {
            keep[row] = chunk.rows.columns[0].ints_of(row)[0] % 3 != 0;
          }
          return OkStatus();
        });
  }
  // Whatever hosts, threads and placement, all batches are `expected`.
  static void ExpectSame(const Dataset& dataset,
                         const std::vector<GlobalBatch>& expected) {
    for (const RunOptions& options : std::vector<RunOptions>{
             {.shards = 3, .hosts = 3, .threads = 1},
             {.shards = 6, .hosts = 2, .threads = 3, .force_streamed = true}}) {
      ASSERT_OK_AND_ASSIGN(const auto found, RunAll(dataset, options));
      ASSERT_EQ(found.size(), expected.size());
      for (size_t step = 0; step < found.size(); ++step) {
        EXPECT_EQ(found[step].tensors, expected[step].tensors) << step;
        EXPECT_EQ(found[step].record_ids, expected[step].record_ids);
      }
    }
  }

  ScratchFolder folder_;
  const std::vector<uint32_t> lengths_ = RandomLengths(100, 20, 6);
  std::string pattern_ = WriteDataset(folder_, lengths_);
};

TEST_F(RowFunctionsTest, SelectRenameAndConstantMakeTheColumnsOfABatch) {
  const Dataset dataset =
      Dataset::TfRecords(pattern_)
          .Parse({kId,
                  {.name = "half", .type = FeatureType::kFloat, .length = 1},
                  {.name = "tokens"}})
          .Rename({.from = "tokens", .to = "words"})
          .Select({"words", "id"})
          .Constant({.name = "source", .value = 7, .as = ElementType::kInt8})
          .Constant(
              {.name = "scale", .value = 0.5, .as = ElementType::kFloat32})
          .Bucket({.by = "words", .lengths = {20}})
          .Batch({.size = 8});
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(dataset, {}));
  // The index knows the lengths by the name that records have.
  EXPECT_TRUE(pipeline.planned());
  EXPECT_EQ(pipeline.contract().Describe(),
            "words: int32 [8, 20], pad 0\n"
            "words_lengths: int32 [8]\n"
            "id: int64 [8], pad 0\n"
            "source: int8 [8], pad 0\n"
            "scale: float32 [8], pad 0\n"
            "row_mask: float32 [8]\n");
  size_t rows = 0;
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
    if (!batch) break;
    for (size_t row = 0; row < 8; ++row) {
      const auto records = batch->RecordsOf(row);
      const bool real = !records.empty();
      EXPECT_EQ(batch->tensors[3].values<int8_t>()[row], real ? 7 : 0);
      EXPECT_EQ(batch->tensors[4].values<float>()[row], real ? 0.5 : 0);
      if (!real) continue;
      ++rows;
      EXPECT_EQ(batch->tensors[0].values<int32_t>()[row * 20],
                TokenOf(records[0], 0));
      EXPECT_EQ(batch->tensors[2].values<int64_t>()[row],
                static_cast<int64_t>(records[0]));
    }
  }
  EXPECT_EQ(rows, lengths_.size());
}

TEST_F(RowFunctionsTest, AMapThatKeepsLengthsKeepsThePlanAndDrawsByRow) {
  const Dataset dataset = Batched(Noisy(Read()));
  EXPECT_THAT(Explained(dataset), HasSubstr("planned"));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  ExpectSame(dataset, whole);
  // What a record's row drew, by epoch.
  std::map<uint64_t, std::set<int32_t>> drawn;
  std::set<int32_t> all;
  for (const GlobalBatch& batch : whole) {
    const auto tokens = ValuesOf<int32_t>(batch.tensors[1]);
    const size_t width = tokens.size() / 6;
    for (size_t row = 0; row < 6; ++row) {
      if (batch.record_ids[row] == kNoRecord) continue;
      drawn[batch.record_ids[row]].insert(tokens[row * width]);
      all.insert(tokens[row * width]);
    }
  }
  EXPECT_EQ(drawn.size(), lengths_.size());
  const auto twice = std::ranges::count_if(
      drawn, [](const auto& one) { return one.second.size() == 2; });
  EXPECT_GE(twice, 98);
  EXPECT_GE(all.size(), 150u);
  ASSERT_OK_AND_ASSIGN(
      const auto rest,
      RunAll(dataset,
             {.shards = 2, .hosts = 2, .restore = whole[8].state_after}));
  ASSERT_EQ(rest.size(), whole.size() - 9);
  EXPECT_EQ(rest.back().tensors, whole.back().tensors);
  ASSERT_OK_AND_ASSIGN(const auto other, RunAll(Batched(Noisy(Read(), 1))));
  EXPECT_NE(other[0].tensors, whole[0].tensors);
}

Dataset Doubled(const Dataset& dataset, bool keeps_lengths) {
  return dataset.Map(
      {.name = "double", .keeps_lengths = keeps_lengths},
      [](const RowChunk& chunk) {
        Column& tokens = chunk.rows.columns[1];
        Column doubled = {.name = tokens.name, .type = tokens.type};
        for (size_t row = 0; row < chunk.rows.rows; ++row) {
          for (int i = 0; i < 2; ++i) {
            const auto from = tokens.ints_of(row);
            doubled.ints.insert(doubled.ints.end(), from.begin(), from.end());
          }
          doubled.EndRow();
        }
        tokens = doubled;
        return OkStatus();
      });
}

TEST_F(RowFunctionsTest, AMapThatChangesLengthsIsStreamedAndSaysSo) {
  const auto dataset = [&](bool keeps) {
    return Doubled(Read(), keeps)
        .Bucket({.by = "tokens", .lengths = {10, 40}})
        .Batch({.size = 6});
  };
  EXPECT_THAT(Explained(dataset(false)),
              AllOf(HasSubstr("streamed: Map \"double\" may change"),
                    HasSubstr("Map double")));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset(false)));
  ExpectSame(dataset(false), whole);
  for (const GlobalBatch& batch : whole) {
    const auto counts = ValuesOf<int32_t>(batch.tensors[2]);
    for (size_t row = 0; row < 6; ++row) {
      const uint64_t id = batch.record_ids[row];
      EXPECT_EQ(counts[row], id == kNoRecord ? 0 : 2 * lengths_[id]);
    }
  }
  EXPECT_THAT(
      RunAll(dataset(true)),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("Map \"double\" made"), HasSubstr("record "),
                     HasSubstr("keeps_lengths = false"))));
}

TEST_F(RowFunctionsTest, AFilterLeavesRowsOutOnAnyHostsAndResumes) {
  const Dataset dataset = Batched(WithoutThirds(Read()));
  EXPECT_THAT(Explained(dataset), HasSubstr("streamed: Filter \"thirds\""));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  ExpectSame(dataset, whole);
  std::vector<uint64_t> expected;
  for (uint64_t id = 0; id < lengths_.size(); ++id) {
    if (id % 3 != 0) expected.insert(expected.end(), 2, id);
  }
  EXPECT_EQ(RealIds(whole), expected);
  EXPECT_EQ(whole.back().state_after.counts.dropped,
            2 * lengths_.size() - expected.size());
  for (const size_t step : {size_t{0}, whole.size() / 2, whole.size() - 1}) {
    ASSERT_OK_AND_ASSIGN(
        const auto rest,
        RunAll(dataset,
               {.shards = 3, .hosts = 3, .restore = whole[step].state_after}));
    ASSERT_EQ(rest.size(), whole.size() - 1 - step);
    for (size_t i = 0; i < rest.size(); ++i) {
      EXPECT_EQ(rest[i].tensors, whole[step + 1 + i].tensors);
    }
  }
}

TEST_F(RowFunctionsTest, RowsOfFixedSizeAreFilteredToo) {
  const Dataset dataset =
      WithoutThirds(Dataset::TfRecords(pattern_).Parse({kId}))
          .Batch({.size = 6});
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  std::vector<uint64_t> expected;
  for (uint64_t id = 0; id < lengths_.size(); ++id) {
    if (id % 3 != 0) expected.push_back(id);
  }
  EXPECT_EQ(RealIds(whole), expected);
  ExpectSame(dataset, whole);
}

TEST_F(RowFunctionsTest, AFilterOfAllRowsEndsWithoutAStep) {
  const Dataset dataset = Batched(Read().Filter(
      {.name = "none"}, [](const RowChunk&, std::vector<bool>& keep) {
        keep.assign(keep.size(), false);
        return OkStatus();
      }));
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  EXPECT_TRUE(whole.empty());
}

TEST_F(RowFunctionsTest, TextsMayBeMappedAndFilteredBeforeTheyAreTokenized) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Tokenizer> bytes,
                       LoadTokenizer(LocalFiles(), "bytes"));
  const Dataset dataset =
      Dataset::TfRecords(pattern_)
          .Parse({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
          .Filter({.name = "short"},
                  [](const RowChunk& chunk, std::vector<bool>& keep) {
                    for (size_t row = 0; row < chunk.rows.rows; ++row) {
                      keep[row] =
                          chunk.rows.columns[0].bytes_at(row).size() > 5;
                    }
                    return OkStatus();
                  })
          .Map({.name = "upper"},
               [](const RowChunk& chunk) {
                 for (char& c : chunk.rows.columns[0].bytes) c = 'A';
                 return OkStatus();
               })
          .Tokenize(bytes)
          .Map({.name = "next"},
               [](const RowChunk& chunk) {
                 for (int64_t& token : chunk.rows.columns[0].ints) ++token;
                 return OkStatus();
               })
          .Bucket({.by = "tokens", .lengths = {20}})
          .Batch({.size = 6});
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
  ExpectSame(dataset, whole);
  uint64_t rows = 0;
  for (const GlobalBatch& batch : whole) {
    const auto tokens = ValuesOf<int32_t>(batch.tensors[0]);
    for (size_t row = 0; row < 6; ++row) {
      if (batch.record_ids[row] == kNoRecord) continue;
      ++rows;
      EXPECT_EQ(tokens[row * 20], 'A' + 1);
      EXPECT_GT(lengths_[batch.record_ids[row]], 5u);
    }
  }
  EXPECT_EQ(rows, static_cast<uint64_t>(std::ranges::count_if(
                      lengths_, [](uint32_t length) { return length > 5; })));
}

TEST_F(RowFunctionsTest, ErrorsOfFunctionsNameThem) {
  const auto run = [&](Status status) {
    return RunAll(Batched(Read().Map(
        {.name = "broken"}, [status](const RowChunk&) { return status; })));
  };
  EXPECT_THAT(run(DataLossError("odd row")),
              StatusIs(StatusCode::kDataLoss, AllOf(HasSubstr("Map \"broken\""),
                                                    HasSubstr("odd row"))));
  EXPECT_THAT(RunAll(Batched(Read().Map({.name = "thief"},
                                        [](const RowChunk& chunk) {
                                          chunk.rows.columns.pop_back();
                                          return OkStatus();
                                        }))),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("Map \"thief\" changed the columns")));
  EXPECT_THAT(RunAll(Read()
                         .Map({.name = "more", .keeps_lengths = false},
                              [](const RowChunk& chunk) {
                                Column& ids = chunk.rows.columns[0];
                                ids.ints.push_back(1);
                                ++ids.row_offsets.back();
                                return OkStatus();
                              })
                         .Bucket({.by = "tokens", .lengths = {20}})
                         .Batch({.size = 6})),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("feature \"id\" has 2 values"),
                             HasSubstr("record "))));
}

TEST_F(RowFunctionsTest, AnotherVersionOfAFunctionIsAnotherGraph) {
  const auto dataset = [&](uint64_t version) {
    return Batched(Read().Map({.name = "same", .version = version},
                              [](const RowChunk&) { return OkStatus(); }));
  };
  ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset(1)));
  EXPECT_THAT(RunAll(dataset(2), {.restore = whole[0].state_after}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Map same")));
  EXPECT_THAT(RunAll(Batched(Read()), {.restore = whole[0].state_after}),
              StatusIs(StatusCode::kFailedPrecondition, HasSubstr("Map same")));
}

TEST_F(RowFunctionsTest, AStateOfStagesOfOneNameIsReadBack) {
  const auto graph = [&](double value) {
    return Batched(Read()
                       .Rename({.from = "id", .to = "number"})
                       .Rename({.from = "number", .to = "record"})
                       .Constant({.name = "one", .value = 1})
                       .Constant({.name = "other", .value = value}));
  };
  ASSERT_OK_AND_ASSIGN(const auto all, RunAll(graph(2)));
  const State& state = all[0].state_after;
  ASSERT_OK_AND_ASSIGN(const State read, ParseState(FormatState(state)));
  EXPECT_EQ(read, state);
  EXPECT_THAT(RunAll(graph(3), {.restore = read}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("Constant, number 2 differs")));
}

TEST_F(RowFunctionsTest, WhatCannotWorkIsRefusedWithAReason) {
  const auto refused = [](const Dataset& dataset, const std::string& words) {
    EXPECT_THAT(FlattenStages(Batched(dataset)),
                StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
  };
  refused(Read().Select({"words"}), "Select of \"words\", but the features");
  refused(Read().Select({}), "Select without a feature");
  refused(Read().Rename({.from = "a", .to = "b"}), "Rename of \"a\"");
  refused(Read().Rename({.from = "id", .to = "tokens"}), "already a feature");
  refused(Read().Constant({.name = "id"}), "already a feature");
  refused(Read().Constant({.name = "c", .value = 0.5}), "no int32 value");
  refused(Read().Map({}, [](const RowChunk&) { return OkStatus(); }),
          "Map without a name");
  refused(Read().Map({.name = "m"}, nullptr), "Map \"m\" without a function");
  refused(
      Read().Map({.name = "m\xff"}, [](const RowChunk&) { return OkStatus(); }),
      "Map \"m\\xff\": a name has to be UTF-8");
  refused(Read().Filter({.name = "f"}, nullptr), "without a function");
  refused(Dataset::TfRecords("a").Select({"tokens"}), "no Parse before Select");
}

}  // namespace
}  // namespace penstock::testing
