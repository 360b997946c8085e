// Whole runs in Megatron-LM's order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pipeline/order/megatron_index.h"
#include "pipeline/trace.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/token_files.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using SampleRow = std::vector<int32_t>;

class MegatronTest : public ::testing::Test {
 protected:
  Dataset Write(const std::vector<uint32_t>& lengths) {
    return Dataset::TfRecords(WriteDataset(folder_, lengths));
  }
  static Dataset Arranged(const Dataset& of, PackOptions pack,
                          int64_t rows = 2) {
    pack.by = "tokens";
    pack.kind = PackKind::kMegatron;
    return of.Pack(std::move(pack)).Batch({.size = rows});
  }
  static std::vector<SampleRow> RowsOf(const std::vector<GlobalBatch>& run,
                                       size_t length) {
    std::vector<SampleRow> rows;
    for (const GlobalBatch& batch : run) {
      const auto values = ValuesOf<int32_t>(batch.tensors[0]);
      for (size_t r = 0; r < batch.row_records.size(); ++r) {
        if (batch.row_records[r].empty()) continue;  // it pads
        const auto begin =
            values.begin() + static_cast<std::ptrdiff_t>(r * length);
        rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
      }
    }
    return rows;
  }

  ScratchFolder folder_;
};

// `tokens` as 100 (document + 1) + j for its value j.
SampleRow RowOf(std::vector<uint64_t> tokens) {
  SampleRow row;
  for (const uint64_t token : tokens) {
    row.push_back(static_cast<int32_t>(TokenOf(token / 100 - 1, token % 100)));
  }
  return row;
}

// Computed with NumPy 2.4.6, see order/megatron_index_test.cc.
TEST_F(MegatronTest, RowsAreTheSamplesOfMegatron) {
  const Dataset five = Write({5, 3, 7, 2, 6});
  ASSERT_OK_AND_ASSIGN(const auto one,
                       RunAll(Arranged(five, {.length = 5, .seed = 1234})));
  EXPECT_THAT(RowsOf(one, 5), ElementsAre(RowOf({201, 202, 300, 301, 302}),
                                          RowOf({102, 103, 104, 200, 201}),
                                          RowOf({504, 505, 100, 101, 102}),
                                          RowOf({500, 501, 502, 503, 504}),
                                          RowOf({302, 303, 304, 305, 306})));
  ASSERT_OK_AND_ASSIGN(
      const auto two,
      RunAll(Arranged(five, {.length = 5, .seed = 1234, .samples = 7})));
  EXPECT_THAT(RowsOf(two, 5), ElementsAre(RowOf({102, 103, 104, 200, 201}),
                                          RowOf({500, 501, 502, 503, 504}),
                                          RowOf({302, 303, 304, 305, 306}),
                                          RowOf({201, 202, 300, 301, 302}),
                                          RowOf({504, 505, 100, 101, 102}),
                                          RowOf({401, 300, 301, 302, 303}),
                                          RowOf({500, 501, 502, 503, 504})));
}

class MegatronRunTest : public MegatronTest {
 protected:
  MegatronRunTest() : lengths_(RandomLengths(300, 40, 3)) {
    for (size_t i = 0; i < lengths_.size(); i += 7) lengths_[i] = 0;
    lengths_[100] = 500;  // in many samples
    records_ = Write(lengths_);
  }
  Dataset Run(int64_t rows) const {
    return Arranged(*records_, {.length = 33, .seed = 9, .samples = 400}, rows);
  }

  std::vector<uint32_t> lengths_;
  std::optional<Dataset> records_;
  ScratchFolder records_folder_;
};

// Value i of the documents in their order is sample i / 32's.
TEST_F(MegatronRunTest, SamplesFollowEachOtherWhateverDocumentsThereAre) {
  ASSERT_OK_AND_ASSIGN(
      const MegatronIndex index,
      MakeMegatronIndex(lengths_, {.length = 32, .samples = 400, .seed = 9}));
  ASSERT_GT(index.passes, 1u);
  SampleRow values;
  for (const uint32_t document : index.documents) {
    for (uint64_t j = 0; j < lengths_[document]; ++j) {
      values.push_back(static_cast<int32_t>(TokenOf(document, j)));
    }
  }
  std::vector<SampleRow> expected;
  for (size_t i = 0; i < 400; ++i) {
    const auto begin =
        values.begin() + static_cast<std::ptrdiff_t>(32 * index.shuffled[i]);
    expected.emplace_back(begin, begin + 33);
  }
  ASSERT_OK_AND_ASSIGN(const auto run, RunAll(Run(6)));
  EXPECT_EQ(run.size(), 67u);
  EXPECT_EQ(RowsOf(run, 33), expected);
}

TEST_F(MegatronRunTest, EveryStateGoesOnOnOtherHostsAndIsFoundWithoutARun) {
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(Run(6)));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(Run(6), {}));
  EXPECT_EQ(pipeline.steps_per_epoch(), expected.size());
  EXPECT_THAT(pipeline.Explain(), HasSubstr("megatron  400 samples of"));
  for (size_t done = 1; done < expected.size(); done += 5) {
    ASSERT_OK_AND_ASSIGN(const State state, pipeline.StateAfter(done));
    EXPECT_EQ(state, expected[done - 1].state_after);
    RunOptions options = {.shards = 6, .hosts = 1 + uint32_t(done) % 3};
    options.restore = expected[done - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(Run(6), options));
    const std::vector<GlobalBatch> after(
        expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end());
    ASSERT_EQ(rest, after) << done;
  }
}

// As Megatron's ramp of the batch size goes.
TEST_F(MegatronRunTest, BatchesMayGrowOnTheWay) {
  ASSERT_OK_AND_ASSIGN(const auto before, RunAll(Run(6)));
  RunOptions options = {.restore = before[9].state_after};
  options.change = [](uint32_t, HostRun& run) {
    run.compile.changed = {Change::kBatches};
  };
  ASSERT_OK_AND_ASSIGN(const auto after, RunAll(Run(10), options));
  const std::vector<SampleRow> all = RowsOf(before, 33);
  EXPECT_EQ(RowsOf(after, 33),
            std::vector<SampleRow>(all.begin() + 60, all.end()));
}

TEST_F(MegatronRunTest, StatesOfOtherKindsAndSamplesAreRefused) {
  ASSERT_OK_AND_ASSIGN(const auto run, RunAll(Run(6)));
  const auto refused = [&](const Dataset& dataset, const State& state) {
    RunOptions options = {.restore = state};
    options.change = [](uint32_t, HostRun& host) {
      host.compile.changed = {Change::kBatches};
    };
    EXPECT_THAT(RunAll(dataset, options),
                StatusIs(StatusCode::kFailedPrecondition,
                         HasSubstr("Pack by Megatron-LM's order")));
  };
  refused(
      records_->Pack({.by = "tokens", .length = 33, .kind = PackKind::kChunk})
          .Batch({.size = 6}),
      run[3].state_after);
  refused(Arranged(*records_, {.length = 33, .seed = 9, .samples = 401}, 6),
          run[3].state_after);
}

// The same tokens in a .bin and its .idx.
class TokenFilesTest : public MegatronRunTest {
 protected:
  TokenFilesTest() : path_(Write(lengths_)) {}
  std::string Write(const std::vector<uint32_t>& lengths) {
    std::vector<std::vector<int64_t>> sequences;
    for (size_t i = 0; i < lengths.size(); ++i) {
      std::vector<int64_t>& sequence = sequences.emplace_back();
      for (uint64_t j = 0; j < lengths[i]; ++j) {
        sequence.push_back(TokenOf(i, j));
      }
    }
    const TokenFiles files = MakeTokenFiles<uint16_t>(sequences, 8);
    folder_.Write("text.bin", files.bin);
    folder_.Write("text.idx", files.idx);
    return folder_ / "text";
  }
  Dataset Tokens() const { return Dataset::MegatronTokens(path_); }
  static void ExpectSame(const std::vector<GlobalBatch>& one,
                         const std::vector<GlobalBatch>& two) {
    ASSERT_EQ(one.size(), two.size());
    for (size_t step = 0; step < one.size(); ++step) {
      EXPECT_EQ(one[step].tensors, two[step].tensors) << step;
      EXPECT_EQ(one[step].row_records, two[step].row_records) << step;
    }
  }

  const std::string path_;
};

TEST_F(TokenFilesTest, TheyGiveTheRunOfRecordsOfTheSameTokens) {
  const PackOptions pack = {.length = 33, .seed = 9, .samples = 400};
  ASSERT_OK_AND_ASSIGN(const auto records, RunAll(Run(6)));
  const Dataset dataset = Arranged(Tokens(), pack, 6);
  ASSERT_OK_AND_ASSIGN(const auto tokens, RunAll(dataset));
  ExpectSame(records, tokens);
  ASSERT_OK_AND_ASSIGN(
      const auto rest,
      RunAll(dataset,
             {.shards = 6, .hosts = 3, .restore = tokens[20].state_after}));
  EXPECT_EQ(rest, std::vector(tokens.begin() + 21, tokens.end()));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
  EXPECT_THAT(
      pipeline.Explain(),
      ::testing::AllOf(HasSubstr("planned: every file has an index with the "
                                 "lengths of \"tokens\""),
                       HasSubstr("read      a token file, 300 records"),
                       HasSubstr("bytes  lengths of the sequences of token "
                                 "files")));
  ASSERT_OK_AND_ASSIGN(const StepTrace trace, pipeline.Trace(0));
  EXPECT_THAT(trace.pieces[0].where, HasSubstr("text.bin: sequence "));
}

TEST_F(TokenFilesTest, TheyAreASourceAsAnyOther) {
  const auto arranged = [](const Dataset& dataset) {
    return dataset.Shuffle({.seed = 4})
        .Bucket({.by = "tokens",
                 .lengths = {8, 40},
                 .too_long = TooLong::kTruncate})
        .Batch({.size = 8});
  };
  const Dataset read =
      Dataset::TfRecords(WriteDataset(records_folder_, lengths_));
  ASSERT_OK_AND_ASSIGN(const auto planned, RunAll(arranged(Tokens())));
  uint64_t rows = 0;
  for (const GlobalBatch& batch : planned) {
    const auto values = ValuesOf<int32_t>(batch.tensors[0]);
    const auto counts = ValuesOf<int32_t>(batch.tensors[1]);
    for (size_t row = 0; row < 8; ++row) {
      const uint64_t id = batch.record_ids[row];
      if (id == kNoRecord) continue;
      ++rows;
      ASSERT_EQ(counts[row], static_cast<int32_t>(std::min(lengths_[id], 40u)));
      for (int32_t j = 0; j < counts[row]; ++j) {
        ASSERT_EQ(values[row * values.size() / 8 + static_cast<size_t>(j)],
                  TokenOf(id, static_cast<uint64_t>(j)));
      }
    }
  }
  EXPECT_EQ(rows, lengths_.size());
  ASSERT_OK_AND_ASSIGN(
      const auto streamed,
      RunAll(arranged(Tokens()),
             {.shards = 4, .hosts = 2, .force_streamed = true}));
  EXPECT_EQ(streamed, planned);
  // Mixed with records, and beside them in a zip.
  ASSERT_OK_AND_ASSIGN(
      const auto mixed,
      RunAll(arranged(Dataset::Mix(
          {{Tokens(), 1}, {read.Parse({{.name = "tokens"}}), 1}}))));
  EXPECT_EQ(RealIds(mixed), Iota(600));
  ASSERT_OK_AND_ASSIGN(
      const auto zipped,
      RunAll(arranged(Dataset::Zip(
          {Tokens(), read.Parse({{.name = "tokens"}})
                         .Rename({.from = "tokens", .to = "same"})}))));
  for (const GlobalBatch& batch : zipped) {
    EXPECT_EQ(batch.tensors[0], batch.tensors[2]);
    EXPECT_EQ(batch.tensors[1], batch.tensors[3]);
  }
}

TEST_F(TokenFilesTest, WhatTheyHaveNotIsRefusedWithAReason) {
  const auto refused = [](const Dataset& dataset, StatusCode code,
                          const char* words) {
    EXPECT_THAT(Compile(Arranged(dataset, {.length = 33}), {}),
                StatusIs(code, HasSubstr(words)));
  };
  refused(Tokens().Parse({{.name = "tokens"}, {.name = "labels"}}), kInvalid,
          "Parse of tokens, labels, but it has one feature, \"tokens\"");
  refused(Dataset::MegatronTokens(folder_ / "none"), StatusCode::kNotFound,
          "none.idx");
  folder_.Write("none.bin", "");
  folder_.Write("none.idx", MakeTokenFiles<uint16_t>({}, 8).idx);
  refused(Dataset::MegatronTokens(folder_ / "none"),
          StatusCode::kFailedPrecondition, "there are no records");
}

TEST_F(MegatronTest, WhatHasNoSuchOrderIsRefused) {
  const Dataset five = Write({5, 3, 7, 2, 6});
  const auto refused = [](const Dataset& dataset, const char* words,
                          const CompileOptions& options = {}) {
    EXPECT_THAT(Compile(dataset, {}, options),
                StatusIs(kInvalid, HasSubstr(words)));
  };
  refused(Arranged(five.Shuffle({.seed = 1}), {.length = 5}), "behind Shuffle");
  refused(Arranged(Dataset::Mix({{five, 1}, {five, 1}}), {.length = 5}),
          "behind Shuffle or Mix");
  refused(Arranged(five.Repeat({.epochs = 2}), {.length = 5}), "with Repeat");
  refused(Arranged(five.Withdraw({1}), {.length = 5}), "or Withdraw");
  refused(Arranged(five, {.length = 1}), "with length 1");
  refused(Arranged(five, {.length = 5, .max_segments = 2}), "max_segments 2");
  refused(Arranged(five, {.length = 5, .seed = uint64_t{1} << 32}),
          "seed 4294967296");
  refused(Arranged(five, {.length = 24}), "have 23 values");
  CompileOptions streamed;
  streamed.force_streamed = true;
  refused(Arranged(five, {.length = 5}), "of planned pipelines", streamed);
  refused(
      five.Pack({.by = "tokens", .length = 8, .seed = 1}).Batch({.size = 2}),
      "leave them out");
}

}  // namespace
}  // namespace penstock::testing
