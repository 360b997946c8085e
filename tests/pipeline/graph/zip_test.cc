// Datasets side by side.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/files/file.h"
#include "pipeline/row_function.h"
#include "pipeline/trace.h"
#include "tests/pipeline/graph/views_fixture.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr uint64_t kZipped = 90;

class ZipTest : public ViewsTest {
 protected:
  ZipTest()
      : source_(WriteDataset(folder_, source_lengths_, {.part = 4})),
        target_(WriteDataset(other_folder_, target_lengths_, {.files = 2})) {}

  // Both have "tokens" in their records, of other lengths.
  Dataset Source() const { return Read(source_).Parse({kHalf, kTokens}); }
  Dataset Target() const {
    return Read(target_)
        .Parse({kId, kTokens})
        .Rename({.from = "tokens", .to = "targets"});
  }
  Dataset Pairs() const { return Dataset::Zip({Source(), Target()}); }
  static Dataset Arranged(const Dataset& dataset,
                          const std::string& by = "targets") {
    return dataset.Bucket({.by = by, .lengths = {4, 8, 12}}).Batch({.size = 8});
  }
  // Row by row what both sides have of record `first` + its id. Tensors: half,
  // tokens and their lengths, id, targets and their lengths.
  void ExpectRows(const std::vector<GlobalBatch>& batches, size_t tensor,
                  const std::vector<uint32_t>& lengths, uint64_t first = 0) {
    uint64_t rows = 0;
    for (const GlobalBatch& batch : batches) {
      const auto halves = ValuesOf<float>(batch.tensors[0]);
      const auto ids = ValuesOf<int64_t>(batch.tensors[3]);
      const auto tokens = ValuesOf<int32_t>(batch.tensors[tensor]);
      const auto found = ValuesOf<int32_t>(batch.tensors[tensor + 1]);
      const size_t width = tokens.size() / ids.size();
      for (size_t row = 0; row < ids.size(); ++row) {
        const uint64_t id = batch.record_ids[row];
        if (id == kNoRecord) continue;
        ++rows;
        const uint64_t number = id + first;
        ASSERT_EQ(ids[row], static_cast<int64_t>(number));
        ASSERT_EQ(halves[row], static_cast<float>(number) / 4);
        ASSERT_EQ(found[row], static_cast<int32_t>(lengths[number]));
        for (int32_t j = 0; j < found[row]; ++j) {
          ASSERT_EQ(tokens[row * width + static_cast<size_t>(j)],
                    TokenOf(number, static_cast<uint64_t>(j)));
        }
      }
    }
    EXPECT_EQ(rows, kZipped - first);
  }

  const std::vector<uint32_t> source_lengths_ = RandomLengths(kZipped, 4, 1);
  const std::vector<uint32_t> target_lengths_ = RandomLengths(kZipped, 12, 2);
  ScratchFolder folder_;
  ScratchFolder other_folder_;
  const std::string source_;
  const std::string target_;
};

TEST_F(ZipTest, RecordIHasTheFeaturesOfRecordIOfEach) {
  const Dataset dataset = Arranged(Pairs());
  for (const RunOptions& options : std::vector<RunOptions>{
           {},
           {.shards = 4, .hosts = 2, .threads = 3},
           {.shards = 2, .hosts = 2, .force_streamed = true}}) {
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset, options));
    ExpectRows(batches, 1, source_lengths_);
    ExpectRows(batches, 4, target_lengths_);
  }
}

TEST_F(ZipTest, ItIsPlannedByTheLengthsOfWhicheverSideHasThem) {
  for (const char* by : {"tokens", "targets"}) {
    const bool targets = std::string(by) == "targets";
    const std::string text = Explained(Arranged(
        targets ? Pairs() : Dataset::Zip({Source(), Target().Select({"id"})}),
        by));
    EXPECT_THAT(text,
                AllOf(HasSubstr("planned: every file has an index"),
                      HasSubstr("zip of 3 files and 2 files, 90 records")));
    uint64_t longest = 0;
    for (const uint32_t length : targets ? target_lengths_ : source_lengths_) {
      longest += length > 8 ? 1 : 0;
    }
    EXPECT_THAT(text, HasSubstr(", " + std::to_string(longest) + "\n"));
  }
}

TEST_F(ZipTest, ASideWithoutAnIndexOfLengthsMattersOnlyWhereItArranges) {
  const Dataset unknown =
      Read(Write(kZipped, 3, {.length_column = false})).Parse({kTokens});
  const Dataset zip = Dataset::Zip({unknown, Target()});
  EXPECT_THAT(Explained(Arranged(zip)), HasSubstr("planned: every file"));
  EXPECT_THAT(Explained(Arranged(zip, "tokens")),
              HasSubstr("streamed: not every index has a column"));
}

TEST_F(ZipTest, AnyHostsGoOnFromAnyState) {
  const Dataset dataset =
      Arranged(Pairs().Shuffle({.seed = 3}).Repeat({.epochs = 2}));
  ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset));
  for (const size_t done : {1u, 7u, 13u}) {
    for (const bool streamed : {false, true}) {
      ASSERT_OK_AND_ASSIGN(
          const auto rest,
          RunAll(dataset, {.shards = 4,
                           .hosts = done % 2 == 0 ? 2u : 4u,
                           .force_streamed = streamed,
                           .restore = expected[done - 1].state_after}));
      EXPECT_EQ(rest, std::vector(expected.begin() + static_cast<long>(done),
                                  expected.end()));
    }
  }
}

TEST_F(ZipTest, ViewsOverItWorkByRecord) {
  EXPECT_EQ(Ids(Batched(Dataset::Zip({Read(source_).Parse({kTokens}),
                                      Read(target_).Parse({kId})})
                            .Slice({.begin = 5, .end = 9}))),
            (std::vector<uint64_t>{5, 6, 7, 8}));
  const Dataset pairs = Pairs();
  EXPECT_EQ(Ids(Arranged(pairs.Exclude({0, 2}).Take(3))),
            (std::vector<uint64_t>{1, 3, 4}));
  EXPECT_EQ(Ids(Arranged(pairs.Withdraw({1}).Take(4))).size(), 3u);
  std::vector<uint64_t> ids =
      Ids(Arranged(pairs.Split({.end = 0.4}).Shuffle({.seed = 1})));
  const std::vector<uint64_t> rest = Ids(Arranged(pairs.Split({.begin = 0.4})));
  ids.insert(ids.end(), rest.begin(), rest.end());
  std::ranges::sort(ids);
  EXPECT_EQ(ids, Iota(kZipped));
  // In a mix, its ids follow those of what stands before it.
  const Dataset mix =
      Dataset::Mix({{Dataset::Columns(RowsInMemory(target_lengths_), "more")
                         .Parse({kHalf, kId, kTokens})
                         .Rename({.from = "tokens", .to = "targets"})},
                    {pairs.Select({"id", "half", "targets"})}});
  ids = Ids(Arranged(mix));
  std::ranges::sort(ids);
  EXPECT_EQ(ids, Iota(2 * kZipped));
}

TEST_F(ZipTest, PartsOfItsDatasetsAreCountedFromTheirFirst) {
  const Dataset dataset =
      Dataset::Zip({Source().Skip(4).Slice({.begin = 6}),
                    Target().Slice({.begin = 10, .end = 1000})});
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(dataset)));
  ExpectRows(batches, 4, target_lengths_, 10);
  ExpectRows(batches, 1, source_lengths_, 10);
  EXPECT_THAT(Explained(Arranged(dataset)),
              HasSubstr("zip of 3 files from record 10 and 2 files from record "
                        "10, 80 records"));
}

TEST_F(ZipTest, FilesGoWithRowsInMemoryAndWithTokenizedText) {
  ASSERT_OK_AND_ASSIGN(const std::shared_ptr<const Tokenizer> bytes,
                       LoadTokenizer(LocalFiles(), "bytes"));
  const Dataset memory = Dataset::Columns(RowsInMemory(target_lengths_))
                             .Parse({kId, kTokens})
                             .Rename({.from = "tokens", .to = "targets"});
  ASSERT_OK_AND_ASSIGN(const auto files, RunAll(Arranged(Pairs())));
  ASSERT_OK_AND_ASSIGN(const auto columns,
                       RunAll(Arranged(Dataset::Zip({Source(), memory}))));
  ASSERT_EQ(files.size(), columns.size());
  for (size_t step = 0; step < files.size(); ++step) {
    EXPECT_EQ(files[step].tensors, columns[step].tensors);
  }
  // The text has as many letters as the record has tokens.
  const Dataset texts = Dataset::Zip(
      {Read(target_).Parse({kText}).Tokenize(bytes, {.to = "letters"}),
       memory.Map({.name = "same", .keeps_lengths = true},
                  [](const RowChunk&) { return OkStatus(); })});
  ASSERT_OK_AND_ASSIGN(const auto lettered, RunAll(Arranged(texts)));
  for (const GlobalBatch& batch : lettered) {
    EXPECT_EQ(batch.tensors[1], batch.tensors[4]);  // both lengths
  }
}

TEST_F(ZipTest, WhatHappensToItsRowsSeesAllFeatures) {
  const Dataset dataset =
      Dataset::Zip({Source(), Target(),
                    Read(source_).Parse({kText}).Rename(
                        {.from = "text", .to = "words"})})
          .Map({.name = "sum", .keeps_lengths = true},
               [](const RowChunk& chunk) {
                 // half, tokens, id, targets, words
                 std::vector<Column>& columns = chunk.rows.columns;
                 for (size_t row = 0; row < chunk.rows.rows; ++row) {
                   columns[0].floats[columns[0].row_offsets[row]] =
                       static_cast<float>(columns[2].ints_of(row)[0] +
                                          static_cast<int64_t>(
                                              columns[4].bytes_at(row).size()));
                 }
                 return OkStatus();
               })
          .Select({"half", "targets"});
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(dataset)));
  for (const GlobalBatch& batch : batches) {
    const auto sums = ValuesOf<float>(batch.tensors[0]);
    for (size_t row = 0; row < sums.size(); ++row) {
      const uint64_t id = batch.record_ids[row];
      if (id == kNoRecord) continue;
      EXPECT_EQ(sums[row], static_cast<float>(id + source_lengths_[id]));
    }
  }
}

TEST_F(ZipTest, ARecordIsInAsManyPlacesAsTheZipHasDatasets) {
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                       Compile(Arranged(Pairs().Skip(31)), {}));
  ASSERT_OK_AND_ASSIGN(const StepTrace trace, pipeline.Trace(0));
  std::string all;
  for (const TracedPiece& piece : trace.pieces) all += piece.where + "\n";
  EXPECT_THAT(all, HasSubstr("data.tfrecord-00001-of-00003: record 1 at"));
  EXPECT_THAT(all, HasSubstr(", zipped with"));
  EXPECT_THAT(all, HasSubstr("data.tfrecord-00000-of-00002: record 31 at"));
}

TEST_F(ZipTest, AStateIsOfTheSameDatasetsAndPartsOfThem) {
  const Dataset before = Arranged(Pairs());
  EXPECT_OK(Restored(before, Arranged(Pairs())));
  const auto refused = [&](const Dataset& after, const std::string& words) {
    EXPECT_THAT(Restored(before, Arranged(after)),
                StatusIs(StatusCode::kFailedPrecondition, HasSubstr(words)));
  };
  const Dataset other = Dataset::Columns(RowsInMemory(target_lengths_))
                            .Parse({kId, kTokens})
                            .Rename({.from = "tokens", .to = "targets"});
  refused(Dataset::Zip({Source(), other}),
          "the files of dataset 1 of Zip differ");
  refused(Dataset::Zip({Source().Take(9), Target().Take(9)}),
          "the files of dataset 0 of Zip differ");
  refused(Target().Constant({.name = "half"}), "has dataset 0 of Zip where");
}

TEST_F(ZipTest, WhatDoesNotGoTogetherIsRefusedWithAReason) {
  const auto refused = [&](const Dataset& dataset, const std::string& words) {
    ExpectRefused(Arranged(dataset), StatusCode::kInvalidArgument, words);
  };
  refused(Dataset::Zip({Source(), Target().Take(80)}),
          "has 90 records and data.tfrecord-00001-of-00002 has 80, but record "
          "i of one goes with record i of the other: cut the longer one, "
          "before Zip, with .Take(80)");
  refused(Dataset::Zip({Source().Skip(90), Target()}),
          "gives no records to Zip");
  refused(Dataset::Zip({Target(), Target()}),
          "both have a feature \"id\": Rename it in one of them");
  refused(Dataset::Zip({Target()}), "Zip of 1 datasets");
  refused(Dataset::Zip({}), "Zip of 0 datasets");
  refused(Dataset::Zip({Pairs(), Target()}), "Zip inside Zip");
  refused(Dataset::Zip({Source().Shuffle({}), Target()}),
          "a dataset inside Zip has Shuffle");
  refused(Dataset::Zip({Source(), Target().Shuffle({}).Take(90)}),
          "a dataset inside Zip has Shuffle");
  refused(Dataset::Zip({Source(), Target().Repeat({})}), "has Repeat");
  refused(Dataset::Zip({Source().Exclude({1}), Target()}), "has Exclude");
  refused(Dataset::Zip({Dataset::Concat({Source(), Source()}), Target()}),
          "zip what it is made of, and Concat the zips");
  refused(Dataset::Zip({Source(), Target().Filter(
                                      {.name = "all"},
                                      [](const RowChunk&, std::vector<bool>&) {
                                        return OkStatus();
                                      })}),
          "has Filter");
  refused(
      Dataset::Zip({Source(), Target().FlatMap({.name = "none", .most_rows = 2},
                                               [](const RowChunk&, Examples&,
                                                  std::vector<uint32_t>&) {
                                                 return OkStatus();
                                               })}),
      "has FlatMap");
  refused(Pairs().Parse({kId}), "Parse after Zip");
  refused(Dataset::Zip({Read(source_), Target()}),
          "no stage names a feature to read of dataset 0 of source 0");
}

TEST_F(ZipTest, HostsHaveFilesOfTheirOwnWhereThoseOfAllDatasetsAreAsLong) {
  const auto shared = [](const Dataset& dataset, ShardBy by) {
    RunOptions options = {.shards = 2, .hosts = 2};
    options.change = [by](uint32_t, HostRun& run) {
      run.compile.shard_by = by;
    };
    return RunHosts(dataset, options);
  };
  // Records 1 to 29, 30 to 59 and 60 to 89 are of files 0, 1 and 2 of both.
  const std::string other = Write(kZipped, 3, {.records = {30, 30, 30}});
  const Dataset alike = Arranged(Dataset::Zip(
      {Dataset::Columns(RowsInMemory(source_lengths_)).Parse({kHalf}).Skip(1),
       Read(source_).Parse({kTokens}).Skip(1),
       Read(other)
           .Parse({kId, kTokens})
           .Rename({.from = "tokens", .to = "targets"})
           .Skip(1)}));
  const auto hosts = shared(alike, ShardBy::kFile);
  for (uint64_t host = 0; host < 2; ++host) {
    ASSERT_OK(hosts[host]);
    std::vector<uint64_t> ids;
    for (const Batch& batch : *hosts[host]) {
      for (const uint64_t id : RowIds(batch)) {
        if (id != kNoRecord) ids.push_back(id + 1);
      }
    }
    std::ranges::sort(ids);
    std::vector<uint64_t> own;
    for (uint64_t id = 1; id < kZipped; ++id) {
      if (id / 30 % 2 == host) own.push_back(id);
    }
    EXPECT_EQ(ids, own) << "host " << host;
  }
  // As the three files of one and the two of the other are not.
  EXPECT_THAT(
      shared(Arranged(Pairs()), ShardBy::kFile)[0].status(),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("has none that are as long in all datasets of the "
                         "Zip: use ShardBy::kRecord")));
  RunOptions options = {.shards = 4, .hosts = 4};
  options.change = [](uint32_t, HostRun& run) {
    run.compile.shard_by = ShardBy::kAuto;
  };
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(Pairs()), options));
  EXPECT_EQ(RealIds(batches), Iota(kZipped));
}

TEST_F(ZipTest, AMixWeighsTheValuesOfOneOfItsDatasets) {
  const Dataset mix =
      Dataset::Mix({{Dataset::Zip({Source().Select({"half"}), Target()}), 1},
                    {Read(Write(kZipped, 3))
                         .Parse({kHalf, kId, kTokens})
                         .Rename({.from = "tokens", .to = "targets"}),
                     1}},
                   {.by = "tokens"});
  // Both of its datasets have such a column, whatever is taken of them.
  ExpectRefused(Arranged(mix), StatusCode::kInvalidArgument,
                "which several datasets of the Zip that is source 0 have");
}

}  // namespace
}  // namespace penstock::testing
