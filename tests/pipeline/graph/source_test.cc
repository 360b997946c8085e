// Where records come from decides between planned and streamed.
#include "pipeline/graph/source.h"
#include "formats/files/file.h"
#include "formats/open.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/index/record_index.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class SourceTest : public ::testing::Test {
 protected:
  static Dataset Bucketed(const Dataset& dataset) {
    return dataset.Bucket({.by = "tokens", .lengths = {16, 32}})
        .Batch({.size = 8});
  }
  std::string Write(DatasetFiles files, uint64_t records = 100) {
    return WriteDataset(folder_, RandomLengths(records, 32, 1), files);
  }
  static Dataset Text(const std::string& pattern, OpenOptions options = {}) {
    return Dataset::Corpus(pattern, options)
        .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
        .Bucket({.by = "tokens",
                 .lengths = {16, 64},
                 .too_long = TooLong::kTruncate})
        .Batch({.size = 4});
  }

  ScratchFolder folder_;
};

TEST_F(SourceTest, IndexesWithLengthsArePlanned) {
  const Dataset dataset = Bucketed(Dataset::TfRecords(Write({})).Shuffle({}));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
  EXPECT_TRUE(pipeline.planned());
  EXPECT_EQ(pipeline.records_per_epoch(), 100u);
  EXPECT_TRUE(pipeline.steps_per_epoch().has_value());
  EXPECT_THAT(pipeline.Explain(),
              HasSubstr("planned: every file has an index with the lengths of "
                        "\"tokens\""));
}

TEST_F(SourceTest, IndexesWithoutLengthsAreStreamed) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({.length_column = false})).Shuffle({}));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(dataset, {}));
  EXPECT_FALSE(pipeline.planned());
  EXPECT_EQ(pipeline.records_per_epoch(), 100u);
  EXPECT_EQ(pipeline.steps_per_epoch(), std::nullopt);
  EXPECT_THAT(pipeline.Explain(), HasSubstr("column of lengths"));
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset));
  EXPECT_EQ(RealIds(batches), Iota(100));
}

TEST_F(SourceTest, FixedFeaturesArePlannedWithoutLengths) {
  ASSERT_OK_AND_ASSIGN(
      const Pipeline pipeline,
      Compile(Dataset::TfRecords(Write({.length_column = false}))
                  .Parse({{.name = "id", .length = 1}})
                  .Batch({.size = 8}),
              {}));
  EXPECT_TRUE(pipeline.planned());
  EXPECT_EQ(pipeline.steps_per_epoch(), 13u);
}

TEST_F(SourceTest, TokenizedTextIsStreamedAndKeepsItsRows) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({}))
                   .Shuffle({.seed = 3})
                   .Tokenize(*LoadTokenizer(LocalFiles(), "bytes")));
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(dataset, {}));
  EXPECT_FALSE(pipeline.planned());
  EXPECT_THAT(pipeline.Explain(),
              HasSubstr("streamed: Tokenize makes \"tokens\""));
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
    if (!batch) break;
    const size_t width = batch->tensors[0].shape[1];
    for (size_t r = 0; r < batch->record_ids.size(); ++r) {
      if (batch->record_ids[r] == kNoRecord) continue;
      EXPECT_EQ(batch->tensors[0].values<int32_t>()[r * width],
                static_cast<int32_t>('a' + batch->record_ids[r] % 26));
    }
  }
  for (const uint32_t hosts : {2, 3}) {
    ASSERT_OK_AND_ASSIGN(const auto batches,
                         RunAll(dataset, {.shards = 4, .hosts = hosts}));
    EXPECT_EQ(RealIds(batches), Iota(100));
  }
}

TEST_F(SourceTest, AMissingIndexFallsBackToReadingInSequence) {
  const std::string pattern = Write({.index = false});
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline,
                       Compile(Bucketed(Dataset::TfRecords(pattern)), {}));
  EXPECT_FALSE(pipeline.planned());
  EXPECT_EQ(pipeline.records_per_epoch(), std::nullopt);
  EXPECT_THAT(pipeline.Explain(),
              AllOf(HasSubstr("streamed:"), HasSubstr("has no index"),
                    HasSubstr("recordtool index")));
  for (const uint32_t hosts : {1, 3}) {
    ASSERT_OK_AND_ASSIGN(const auto batches,
                         RunAll(Bucketed(Dataset::TfRecords(pattern)),
                                {.shards = 4, .hosts = hosts}));
    EXPECT_EQ(RealIds(batches), Iota(100));
  }
}

TEST_F(SourceTest, ShufflingAllOfASequenceIsRefusedWithAWayOut) {
  for (const DatasetFiles& files :
       {DatasetFiles{.compression = Compression::kGzip},
        DatasetFiles{.index = false}}) {
    EXPECT_THAT(
        Compile(Bucketed(Dataset::TfRecords(Write(files)).Shuffle({})), {}),
        StatusIs(
            StatusCode::kInvalidArgument,
            AllOf(HasSubstr("recordtool index"), HasSubstr("window_records"))));
    EXPECT_THAT(
        Compile(
            Bucketed(Dataset::TfRecords(Write(files))
                         .Shuffle({.window_records = 4, .block_records = 8})),
            {}),
        StatusIs(
            StatusCode::kInvalidArgument,
            AllOf(HasSubstr("recordtool index"), HasSubstr("block_records"))));
  }
}

TEST_F(SourceTest, AStaleIndexIsAnErrorNotAFallback) {
  const std::string path = Write({.files = 1});
  std::ofstream(path, std::ios::app) << "x";
  EXPECT_THAT(Compile(Bucketed(Dataset::TfRecords(path)), {}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("data.tfrecord-00000-of-00001")));
}

TEST_F(SourceTest, AnIndexThatTellsWrongLengthsIsFoundOut) {
  const std::string path = Write({.files = 1});
  ASSERT_OK_AND_ASSIGN(const RecordIndex index,
                       RecordIndex::Load(LocalFiles(), path));
  ASSERT_OK_AND_ASSIGN(const auto tokens, index.Lengths("tokens"));
  LengthColumn column = {"tokens", {tokens.begin(), tokens.end()}};
  column.lengths[42] = column.lengths[42] % 32 + 1;
  ASSERT_OK_AND_ASSIGN(const RecordIndex wrong, index.WithColumns({column}));
  ASSERT_OK(wrong.Save(LocalFiles(), path));
  EXPECT_THAT(
      RunAll(Bucketed(Dataset::TfRecords(path))),
      StatusIs(StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("record 42"), HasSubstr("the index says"))));
}

// Of a value that does not fit and a length that is wrong the first one's.
TEST_F(SourceTest, OfRowsOfABatchTheFirstErrorIsTold) {
  constexpr int64_t kRecords = 8;
  for (const size_t pieces : {1, 2}) {
    for (const auto& [too_large, wrong] : {std::pair(3, 5), std::pair(5, 3)}) {
      const std::string path =
          folder_ / ("data" + std::to_string(10 * pieces + wrong));
      ASSERT_OK_AND_ASSIGN(const auto writer,
                           CreateTfRecord(LocalFiles(), path));
      for (int64_t i = 0; i < kRecords; ++i) {
        ExampleWriter example;
        const int64_t value = i == too_large ? int64_t{1} << 40 : i;
        example.SetInts("tokens", std::vector<int64_t>{value, i});
        std::string bytes;
        example.Finish(bytes);
        ASSERT_OK(writer->Append(bytes));
      }
      ASSERT_OK(writer->Finish());
      ASSERT_OK_AND_ASSIGN(const RecordIndex places,
                           BuildRecordIndex(LocalFiles(), path));
      LengthColumn column = {"tokens", std::vector<uint32_t>(kRecords, 2)};
      column.lengths[wrong] = 1;
      ASSERT_OK_AND_ASSIGN(const RecordIndex index,
                           places.WithColumns({column}));
      ASSERT_OK(index.Save(LocalFiles(), path));
      const Dataset read = Dataset::TfRecords(path);
      const Status told =
          RunAll(pieces == 1 ? read.Bucket({.by = "tokens", .lengths = {4}})
                                   .Batch({.size = kRecords})
                             : read.Pack({.by = "tokens", .length = 4})
                                   .Batch({.size = kRecords / 2}))
              .status();
      if (too_large < wrong) {
        EXPECT_THAT(told, StatusIs(StatusCode::kInvalidArgument,
                                   AllOf(HasSubstr("record 3"),
                                         HasSubstr("does not fit"))));
      } else {
        EXPECT_THAT(told, StatusIs(StatusCode::kFailedPrecondition,
                                   AllOf(HasSubstr("record 3"),
                                         HasSubstr("the index says"))));
      }
    }
  }
}

TEST_F(SourceTest, CompressedAndPlainFilesGiveTheSameBatches) {
  const std::string plain = Write({});
  const std::string gzip = Write({.compression = Compression::kGzip});
  for (const uint64_t window : {0, 7, 1000}) {
    const auto dataset = [&](const std::string& pattern) {
      const Dataset read = Dataset::TfRecords(pattern).Repeat({.epochs = 2});
      return Bucketed(window == 0 ? read
                                  : read.Shuffle({.window_records = window}));
    };
    ASSERT_OK_AND_ASSIGN(const auto sequential,
                         RunAll(dataset(gzip), {.shards = 4, .hosts = 1}));
    EXPECT_EQ(RealIds(sequential).size(), 200u);
    for (const uint32_t hosts : {2, 3}) {
      ASSERT_OK_AND_ASSIGN(
          const auto again,
          RunAll(dataset(gzip), {.shards = 4, .hosts = hosts, .threads = 3}));
      EXPECT_EQ(again, sequential) << window << " " << hosts;
    }
    if (window != 0) continue;  // its key depends on the files
    ASSERT_OK_AND_ASSIGN(
        const auto by_number,
        RunAll(dataset(plain), {.shards = 4, .force_streamed = true}));
    ASSERT_EQ(by_number.size(), sequential.size());
    for (size_t i = 0; i < by_number.size(); ++i) {
      EXPECT_EQ(by_number[i].record_ids, sequential[i].record_ids);
      EXPECT_EQ(by_number[i].tensors, sequential[i].tensors);
    }
  }
}

TEST_F(SourceTest, GzipFilesWithAnIndexArePlannedLikePlainOnes) {
  const std::string plain = Write({.files = 1});
  const std::string gzip =
      Write({.files = 1, .compression = Compression::kGzip});
  ASSERT_OK_AND_ASSIGN(const auto of_plain,
                       RecordIndex::Load(LocalFiles(), plain));
  ASSERT_OK_AND_ASSIGN(const auto tokens, of_plain.Lengths("tokens"));
  ASSERT_OK_AND_ASSIGN(const auto places,
                       BuildRecordIndex(LocalFiles(), gzip,
                                        {.compression = Compression::kGzip}));
  ASSERT_OK_AND_ASSIGN(
      const auto index,
      places.WithColumns({{"tokens", {tokens.begin(), tokens.end()}}}));
  ASSERT_OK(index.Save(LocalFiles(), gzip));
  const Dataset read = Dataset::TfRecords(gzip);
  ASSERT_OK_AND_ASSIGN(const auto shuffled,
                       RunAll(Bucketed(read.Shuffle({.seed = 9}))));
  std::vector<uint64_t> ids = RealIds(shuffled);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, Iota(100));
  ASSERT_OK_AND_ASSIGN(const Pipeline pipeline, Compile(Bucketed(read), {}));
  EXPECT_THAT(pipeline.Explain(), HasSubstr("planned:"));
  ASSERT_OK_AND_ASSIGN(const auto expected,
                       RunAll(Bucketed(Dataset::TfRecords(plain))));
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Bucketed(read)));
  ASSERT_EQ(batches.size(), expected.size());
  for (size_t i = 0; i < batches.size(); ++i) {
    EXPECT_EQ(batches[i].record_ids, expected[i].record_ids);
    EXPECT_EQ(batches[i].tensors, expected[i].tensors);
  }
}

TEST_F(SourceTest, OneShardStreamedIsTheSameAsPlanned) {
  const Dataset dataset =
      Bucketed(Dataset::TfRecords(Write({})).Shuffle({.seed = 9}));
  ASSERT_OK_AND_ASSIGN(const auto planned, RunAll(dataset));
  ASSERT_OK_AND_ASSIGN(const auto streamed,
                       RunAll(dataset, {.force_streamed = true}));
  ASSERT_EQ(planned.size(), streamed.size());
  for (size_t i = 0; i < planned.size(); ++i) {
    EXPECT_EQ(planned[i].record_ids, streamed[i].record_ids);
    EXPECT_EQ(planned[i].tensors, streamed[i].tensors);
  }
}

TEST_F(SourceTest, ShuffleWindowsAreTheSameByNumberAndInSequence) {
  const Dataset read = Dataset::TfRecords(Write({.length_column = false}));
  ASSERT_OK_AND_ASSIGN(const auto batches,
                       RunAll(read.Shuffle({.window_records = 8})
                                  .Parse({{.name = "id", .length = 1}})
                                  .Batch({.size = 8})));
  for (size_t i = 0; i < batches.size(); ++i) {
    for (const uint64_t id : batches[i].record_ids) {
      if (id == kNoRecord) continue;
      EXPECT_EQ(id / 8, i);
    }
  }
}

TEST_F(SourceTest, TextAndJsonLinesBecomeTokens) {
  const std::string text =
      folder_.Write("a.txt", "first paragraph\n\nthe second one\n\nthird\n");
  const std::string json =
      folder_.Write("b.jsonl", "{\"text\":\"four\"}\n{\"text\":\"five\"}\n");
  ASSERT_OK_AND_ASSIGN(
      const auto batches,
      RunAll(Text(text + "," + json, {.text_unit = TextUnit::kParagraph}),
             {.shards = 2, .hosts = 2}));
  EXPECT_EQ(RealIds(batches), Iota(5));
}

TEST_F(SourceTest, ATextFileIsADocumentUnlessItIsNamedAlone) {
  const std::string text = folder_.Write("a.txt", "one\n\ntwo\n");
  for (const auto& [pattern, documents] :
       {std::pair(text, 2), std::pair(folder_ / "*.txt", 1),
        std::pair(folder_ / "**/a.txt", 1), std::pair(text + "," + text, 2)}) {
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Text(pattern)));
    EXPECT_EQ(RealIds(batches), Iota(documents)) << pattern;
  }
}

TEST_F(SourceTest, LinesThatAreNoJsonNameFileAndLine) {
  const std::string path =
      folder_.Write("b.jsonl", "{\"text\":\"four\"}\nfive\n");
  EXPECT_THAT(RunAll(Text(path)), Not(IsOk()));
  EXPECT_THAT(RunAll(Text(path)).status().ToString(), HasSubstr("b.jsonl:2"));
}

TEST_F(SourceTest, NoRecordsAtAllIsAnError) {
  EXPECT_THAT(
      Compile(Bucketed(Dataset::TfRecords(Write({}, 0))), {}),
      StatusIs(StatusCode::kFailedPrecondition, HasSubstr("no records")));
  EXPECT_THAT(Compile(Text(folder_.Write("a.txt", "")), {}),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("a.txt"), HasSubstr("no records"))));
}

TEST_F(SourceTest, MissingFilesAndFoldersAreNamed) {
  EXPECT_THAT(
      Compile(Bucketed(Dataset::TfRecords(folder_ / "none.tfrecord")), {}),
      StatusIs(StatusCode::kNotFound, HasSubstr("none.tfrecord")));
  EXPECT_THAT(
      Compile(Bucketed(Dataset::TfRecords(folder_.path())), {}),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr(folder_.path())));
}

TEST_F(SourceTest, SeveralHostsNeedAGroupOnlyWhereLengthsAreTold) {
  const std::string pattern = Write({.length_column = false});
  EXPECT_THAT(
      Compile(Bucketed(Dataset::TfRecords(pattern)), {.shards = 2, .hosts = 2}),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("CompileOptions::group")));
  EXPECT_OK(Compile(Dataset::TfRecords(pattern)
                        .Parse({{.name = "id", .length = 1}})
                        .Batch({.size = 2}),
                    {.shards = 2, .hosts = 2}, {.force_streamed = true}));
}

TEST_F(SourceTest, ACorpusOfExamplesGivesTheirTexts) {
  const std::string path = folder_ / "a.tfrecord";
  auto writer = CreateTfRecord(LocalFiles(), path);
  ASSERT_OK(writer);
  ExampleWriter example;
  for (const char* text : {"ab", "c"}) {
    std::string bytes;
    example.SetBytes("text", text);
    example.Finish(bytes);
    ASSERT_OK((*writer)->Append(bytes));
  }
  ASSERT_OK((*writer)->Finish());
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline, Compile(Text(path), {}));
  ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
  ASSERT_TRUE(batch);
  const auto tokens = batch->tensors[0].values<int32_t>();
  EXPECT_THAT(std::vector<int32_t>(tokens.begin(), tokens.begin() + 2),
              ::testing::ElementsAre('a', 'b'));
  EXPECT_THAT(Compile(Text(path, {.example_feature = "body"}), {}).status(),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("\"body\"")));
}

}  // namespace
}  // namespace penstock::testing
