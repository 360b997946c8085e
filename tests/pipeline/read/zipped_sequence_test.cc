// Datasets side by side of which some are read in sequence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "formats/open.h"
#include "tests/pipeline/graph/views_fixture.h"
#include "tests/pipeline/shared_files_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/token_files.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr SequenceReading kReadings[] = {SequenceReading::kOneDecodes,
                                         SequenceReading::kOneReads,
                                         SequenceReading::kAllRead};

class ZippedSequenceTest : public ViewsTest {
 protected:
  std::string Files(const std::vector<uint32_t>& lengths, DatasetFiles files) {
    folders_.push_back(std::make_unique<ScratchFolder>());
    return WriteDataset(*folders_.back(), lengths, std::move(files));
  }
  // Gzip files of so many records, which have no index.
  std::string Gzip(std::vector<uint64_t> records, uint32_t longest,
                   uint64_t seed) {
    const uint64_t all =
        std::accumulate(records.begin(), records.end(), uint64_t{0});
    return Files(
        RandomLengths(all, longest, seed),
        {.compression = Compression::kGzip, .records = std::move(records)});
  }
  static Dataset Targets(const std::string& pattern) {
    return Read(pattern)
        .Parse({kId, kTokens})
        .Rename({.from = "tokens", .to = "targets"});
  }
  static Dataset Tokens(const std::string& pattern) {
    return Read(pattern).Parse({kTokens});
  }
  static Dataset Arranged(const Dataset& dataset) {
    return dataset.Bucket({.by = "targets", .lengths = {8, 16, 40}})
        .Batch({.size = 12});
  }
};

TEST_F(ZippedSequenceTest, ItsRowsAreThoseOfAZipByNumber) {
  const std::vector<uint32_t> source = RandomLengths(700, 6, 1);
  const std::vector<uint32_t> target = RandomLengths(700, 40, 2);
  const std::string gzip = Files(source, {.compression = Compression::kGzip,
                                          .records = {90, 0, 300, 310}});
  const std::string plain = Files(target, {.index = false});
  const std::string tokens = Files(source, {});
  const std::string targets = Files(target, {.files = 1});
  const Dataset memory = Dataset::Columns(RowsInMemory(target))
                             .Parse({kId, kTokens})
                             .Rename({.from = "tokens", .to = "targets"});
  ASSERT_OK_AND_ASSIGN(
      const auto expected,
      RunAll(Arranged(Dataset::Zip({Tokens(tokens), Targets(targets)}))));
  for (const Dataset& zip :
       {Dataset::Zip({Tokens(gzip), Targets(plain)}),
        Dataset::Zip({Tokens(gzip), Targets(targets)}),  // which has an index
        Dataset::Zip({Tokens(gzip), memory}),
        Dataset::Zip({Dataset::Columns(RowsInMemory(source)).Parse({kTokens}),
                      Targets(plain)})}) {
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Arranged(zip)));
    ASSERT_EQ(batches.size(), expected.size());
    for (size_t step = 0; step < batches.size(); ++step) {
      EXPECT_EQ(batches[step].record_ids, expected[step].record_ids);
      EXPECT_EQ(batches[step].tensors, expected[step].tensors);
    }
  }
}

TEST_F(ZippedSequenceTest, PartsOfItsDatasetsAreCountedFromTheirFirst) {
  const std::vector<uint32_t> lengths = RandomLengths(200, 40, 1);
  const Dataset gzip = Targets(Gzip({50, 150}, 40, 1));
  const Dataset plain = Tokens(Files(lengths, {.files = 3, .index = false}));
  const auto memory = [&] {
    return Dataset::Columns(RowsInMemory(lengths))
        .Parse({kText})
        .Rename({.from = "text", .to = "words"})
        .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"),
                  {.from = "words", .to = "letters"});
  };
  const Dataset dataset = Arranged(
      Dataset::Zip({plain.Skip(60).Slice({.begin = 7}),
                    gzip.Slice({.begin = 67, .end = 1000}), memory().Skip(67)})
          .Repeat({.epochs = 2}));
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset));
  uint64_t rows = 0;
  for (const GlobalBatch& batch : batches) {
    // tokens, lengths, id, targets, lengths, letters, lengths
    const auto ids = ValuesOf<int64_t>(batch.tensors[2]);
    for (size_t row = 0; row < ids.size(); ++row) {
      if (batch.record_ids[row] == kNoRecord) continue;
      ++rows;
      ASSERT_EQ(ids[row], static_cast<int64_t>(batch.record_ids[row] + 67));
      for (const size_t tensor : {1u, 4u, 6u}) {
        ASSERT_EQ(ValuesOf<int32_t>(batch.tensors[tensor])[row],
                  static_cast<int32_t>(lengths[batch.record_ids[row] + 67]));
      }
    }
  }
  EXPECT_EQ(rows, 2 * 133u);
  EXPECT_THAT(Explained(dataset),
              AllOf(HasSubstr("zip of 3 files from record 67 and 2 files from "
                              "record 67 and in memory from record 67, in "
                              "sequence"),
                    HasSubstr("streamed: "),
                    HasSubstr("records read in sequence: a window, or those "
                              "of a Zip side by side")));
}

struct ZippedGraph {
  const char* name;
  Dataset dataset;
};

// Over files of other numbers of records in both datasets.
class ZippedHostsTest : public ZippedSequenceTest {
 protected:
  std::vector<ZippedGraph> Graphs() {
    const std::string source = Gzip({20, 130, 0, 3, 90, 1}, 8, 1);
    const std::string target = Gzip({100, 44, 100}, 40, 2);
    const Dataset pairs = Dataset::Zip({Tokens(source), Targets(target)});
    const Dataset part = Dataset::Zip(
        {Tokens(source).Slice({.begin = 25, .end = 229}),
         Dataset::Columns(RowsInMemory(RandomLengths(204, 9, 3))).Parse({kId}),
         Targets(target).Select({"targets"}).Skip(10).Take(204)});
    return {
        {"pairs", Arranged(pairs.Repeat({.epochs = 2}))},
        {"windows", Arranged(pairs.Repeat({.epochs = 2})
                                 .Shuffle({.seed = 3, .window_records = 29}))},
        {"part", Arranged(part.Repeat({.epochs = 3}))},
        {"fixed", Dataset::Zip({Read(source).Parse({kId}),
                                Tokens(target).Select({"tokens"})})
                      .Select({"id"})
                      .Shuffle({.seed = 3, .window_records = 64})
                      .Batch({.size = 12})},
        {"tokenized",
         Arranged(Dataset::Zip({Read(source).Parse({kText}).Tokenize(
                                    *LoadTokenizer(LocalFiles(), "bytes")),
                                Targets(target)}))}};
  }
};

TEST_F(ZippedHostsTest, BatchesAndStatesAreThoseOfOneHost) {
  uint64_t cases = 0;
  for (const ZippedGraph& graph : Graphs()) {
    SCOPED_TRACE(graph.name);
    ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(graph.dataset));
    ASSERT_FALSE(expected.empty());
    for (const uint32_t hosts : {2, 3, 4, 12}) {
      for (const SequenceReading sequence : kReadings) {
        if (cases++ % kCaseStride != 0) continue;
        ASSERT_OK_AND_ASSIGN(const auto batches,
                             RunAll(graph.dataset, {.shards = 12,
                                                    .hosts = hosts,
                                                    .threads = 1,
                                                    .sequence = sequence}));
        ASSERT_EQ(batches, expected) << hosts << " hosts";
      }
    }
  }
}

TEST_F(ZippedHostsTest, AnyStateGoesOnWithOtherHosts) {
  uint64_t turn = 0;
  for (const ZippedGraph& graph : Graphs()) {
    SCOPED_TRACE(graph.name);
    ASSERT_OK_AND_ASSIGN(
        const auto expected,
        RunAll(graph.dataset,
               {.shards = 2, .hosts = 2, .sequence = kReadings[0]}));
    for (size_t done = 1; done < expected.size(); done += kCaseStride) {
      constexpr uint32_t kHosts[] = {3, 1, 4, 12, 2};
      const uint32_t hosts = kHosts[++turn % 5];
      ASSERT_OK_AND_ASSIGN(
          const State state,
          ParseState(FormatState(expected[done - 1].state_after)));
      ASSERT_OK_AND_ASSIGN(
          const auto rest,
          RunAll(graph.dataset, {.shards = 12,
                                 .hosts = hosts,
                                 .sequence = kReadings[turn % 3],
                                 .restore = state}));
      const std::vector<GlobalBatch> after(
          expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end());
      ASSERT_EQ(rest, after) << "after " << done << " on " << hosts;
    }
  }
}

// More than is put together at once, by their number and by their bytes.
TEST_F(ZippedHostsTest, ManyAndLargeRecordsGoBetweenHosts) {
  for (const uint64_t records : {9000, 300}) {
    const std::vector<uint32_t> lengths(records, records == 300 ? 4000 : 3);
    const DatasetFiles gzip = {.files = 2, .compression = Compression::kGzip};
    const Dataset dataset =
        Dataset::Zip({Tokens(Files(lengths, gzip)),
                      Targets(Files(lengths, {.files = 5, .index = false}))
                          .Select({"id"})})
            .Bucket({.by = "tokens", .lengths = {4, 4000}})
            .Batch({.size = 100});
    ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(dataset));
    EXPECT_EQ(RealIds(expected), Iota(records));
    for (const SequenceReading sequence : kReadings) {
      // Each of both once for sanitizers.
      if (kCaseStride != 1 && (records == 300) != (sequence == kReadings[0])) {
        continue;
      }
      ASSERT_OK_AND_ASSIGN(
          const auto batches,
          RunAll(dataset, {.shards = 4, .hosts = 4, .sequence = sequence}));
      ASSERT_EQ(batches, expected);
    }
  }
}

// A text in two languages, a line each, as translators have it.
TEST_F(ZippedSequenceTest, LinesOfTwoTextsArePairs) {
  const ScratchFolder folder;
  const std::string english = folder.Write("a.en", "one\ntwo words\nthree\n");
  const std::string german = folder.Write("a.de", "eins\nzwei\ndreizehn\n");
  const auto bytes = *LoadTokenizer(LocalFiles(), "bytes");
  const OpenOptions lines = {.kind = FileKind::kText,
                             .text_unit = TextUnit::kLine};
  const Dataset dataset =
      Dataset::Zip(
          {Dataset::Corpus(english, lines).Tokenize(bytes, {.to = "source"}),
           Dataset::Corpus(german, lines).Tokenize(bytes, {.to = "target"})})
          .Bucket({.by = "source",
                   .lengths = {16},
                   .with = {{.by = "target", .lengths = {8}}}})
          .Batch({.size = 3});
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset));
  ASSERT_EQ(batches.size(), 1u);
  EXPECT_EQ(ValuesOf<int32_t>(batches[0].tensors[1]),
            (std::vector<int32_t>{3, 9, 5}));
  EXPECT_EQ(ValuesOf<int32_t>(batches[0].tensors[3]),
            (std::vector<int32_t>{4, 4, 8}));
}

TEST_F(ZippedSequenceTest, TokenFilesGoWithFilesThatAreReadInSequence) {
  const ScratchFolder folder;
  std::vector<std::vector<int64_t>> sequences;
  for (int64_t i = 0; i < 40; ++i) sequences.push_back({i, i + 1, i + 2});
  const TokenFiles files = MakeTokenFiles<uint16_t>(sequences, 8);
  folder.Write("corpus.idx", files.idx);
  folder.Write("corpus.bin", files.bin);
  const Dataset dataset =
      Dataset::Zip({Read(Gzip({10, 30}, 5, 1)).Parse({kId}),
                    Dataset::MegatronTokens(folder / "corpus")})
          .Bucket({.by = "tokens", .lengths = {4}})
          .Batch({.size = 8});
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(dataset));
  ASSERT_EQ(batches.size(), 5u);
  for (const GlobalBatch& batch : batches) {
    const auto ids = ValuesOf<int64_t>(batch.tensors[0]);
    const auto tokens = ValuesOf<int32_t>(batch.tensors[1]);
    for (size_t row = 0; row < ids.size(); ++row) {
      EXPECT_EQ(tokens[4 * row], ids[row]);
      EXPECT_EQ(tokens[4 * row + 2], ids[row] + 2);
    }
  }
}

TEST_F(ZippedSequenceTest, OtherNumbersAreNamedWhereTheShorterEnds) {
  const std::string longer = Gzip({200, 100}, 5, 1);
  const std::string shorter = Gzip({140, 80}, 5, 2);
  const auto run = [](const Dataset& zip, uint32_t hosts,
                      SequenceReading sequence) {
    return RunAll(Arranged(zip),
                  {.shards = hosts, .hosts = hosts, .sequence = sequence})
        .status();
  };
  const std::string message =
      "Zip: data.tfrecord-00001-of-00002.gz has 300 records and "
      "data.tfrecord-00001-of-00002.gz has 220, but record i of one goes with "
      "record i of the other: cut the longer one, before Zip, with .Take(220)";
  const Dataset zip = Dataset::Zip({Tokens(longer), Targets(shorter)});
  const Dataset memory = Dataset::Columns(RowsInMemory({1, 2, 3}), "three");
  for (const uint32_t hosts : {1, 3}) {
    for (const SequenceReading sequence : kReadings) {
      EXPECT_THAT(run(zip, hosts, sequence),
                  StatusIs(StatusCode::kInvalidArgument, HasSubstr(message)));
      EXPECT_THAT(
          run(Dataset::Zip({memory.Parse({kTokens}), Targets(shorter)}), hosts,
              sequence),
          StatusIs(StatusCode::kInvalidArgument,
                   AllOf(HasSubstr("three has 3 records"),
                         HasSubstr("has 220,"), HasSubstr(".Take(3)"))));
      EXPECT_THAT(
          run(Dataset::Zip({Tokens(longer).Skip(300), Targets(shorter)}), hosts,
              sequence),
          StatusIs(StatusCode::kInvalidArgument,
                   HasSubstr("gives no records to Zip")));
      // As the error says.
      EXPECT_OK(run(Dataset::Zip({Tokens(longer).Take(220), Targets(shorter)})
                        .Repeat({.epochs = 2}),
                    hosts, sequence));
    }
  }
}

TEST_F(ZippedSequenceTest, DamageOfOneDatasetEndsAllHostsAtItsPlace) {
  const std::string source = Gzip({300, 300, 300}, 8, 1);
  const std::string target = Gzip({900}, 40, 2);
  const std::string damaged =
      folders_[0]->path() + "/data.tfrecord-00001-of-00003.gz";
  {
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(
        static_cast<std::streamoff>(std::filesystem::file_size(damaged) / 2));
    file.write("\x55\xaa\x55\xaa", 4);
  }
  const Dataset zip = Arranged(Dataset::Zip({Targets(target), Tokens(source)}));
  for (const SequenceReading sequence : kReadings) {
    const auto results = RunHosts(
        zip, {.shards = 3, .hosts = 3, .threads = 1, .sequence = sequence});
    for (const auto& result : results) {
      EXPECT_THAT(result.status(),
                  StatusIs(StatusCode::kDataLoss, HasSubstr("00001-of-00003")));
    }
  }
}

// What Take or Slice leaves of a file is read by nobody who reads it alone.
TEST_F(ZippedHostsTest, DamageBehindAPartEndsNoEpoch) {
  const std::string source =
      Files(RandomLengths(900, 8, 1), {.files = 9, .index = false});
  const std::string target = Gzip({300, 600}, 40, 2);
  const std::string damaged =
      folders_[0]->path() + "/data.tfrecord-00004-of-00009";
  {
    std::fstream file(damaged, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(
        static_cast<std::streamoff>(std::filesystem::file_size(damaged) / 2));
    file.write("\x55\xaa\x55\xaa", 4);
  }
  const Dataset memory =
      Dataset::Columns(RowsInMemory(RandomLengths(900, 8, 3)))
          .Parse({kTokens})
          .Rename({.from = "tokens", .to = "third"});
  const auto zip = [&](SliceOptions part) {
    return Arranged(
        Dataset::Zip({Targets(target).Slice(part), Tokens(source).Slice(part),
                      memory.Slice(part)})
            .Repeat({.epochs = 3}));
  };
  uint64_t cases = 0;
  for (const SliceOptions part : {SliceOptions{.end = 420},
                                  {.begin = 310, .end = 401},
                                  {.begin = 5, .end = 150}}) {
    ASSERT_OK_AND_ASSIGN(const auto expected, RunAll(zip(part)));
    EXPECT_EQ(RealIds(expected).size(), 3 * (part.end - part.begin));
    for (const uint32_t hosts : {2, 3, 4, 12}) {
      for (const SequenceReading sequence : kReadings) {
        if (cases++ % kCaseStride != 0) continue;
        const RunOptions run = {
            .shards = 12, .hosts = hosts, .threads = 1, .sequence = sequence};
        ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(zip(part), run));
        ASSERT_EQ(batches, expected) << hosts << " hosts";
        EXPECT_THAT(RunAll(zip({.end = 480}), run),
                    StatusIs(StatusCode::kDataLoss,
                             HasSubstr("data.tfrecord-00004-of-00009")));
      }
    }
  }
}

TEST_F(ZippedSequenceTest, ARecordThatIsTooLargeIsNamedInBothPlaces) {
  const std::string source = Gzip({50, 40}, 40, 1);
  const std::string target = Gzip({90}, 40, 2);
  for (const uint32_t hosts : {1, 2}) {
    RunOptions options = {.shards = hosts, .hosts = hosts};
    options.change = [](uint32_t, HostRun& run) {
      run.compile.max_record_bytes = 320;
    };
    EXPECT_THAT(
        RunAll(Arranged(Dataset::Zip({Tokens(source), Targets(target)})),
               options),
        StatusIs(StatusCode::kResourceExhausted,
                 AllOf(HasSubstr(", zipped with "),
                       HasSubstr("max_record_bytes is 320"))));
  }
}

TEST_F(ZippedSequenceTest, WhatNeedsRecordsByNumberIsRefusedWithAReason) {
  const Dataset pairs = Dataset::Zip(
      {Tokens(Gzip({30}, 8, 1)), Targets(Files(RandomLengths(30, 8, 2), {}))});
  const auto refused = [&](const Dataset& dataset, const std::string& words,
                           StatusCode code = StatusCode::kFailedPrecondition) {
    ExpectRefused(Arranged(dataset), code, words);
  };
  for (const Dataset& view :
       {pairs.Take(3), pairs.Exclude({1}), pairs.Split({.end = 0.5}),
        Dataset::Concat({pairs, pairs}), Dataset::Mix({{pairs}})}) {
    refused(view, "so its records can only be read in sequence, but Mix");
  }
  refused(pairs.Shuffle({}), "set window_records to shuffle windows",
          StatusCode::kInvalidArgument);
  refused(pairs.Withdraw({1}), "Withdraw is of planned pipelines",
          StatusCode::kInvalidArgument);
  refused(
      Dataset::Zip({Dataset::TfRecords(
                        Gzip({30}, 8, 1),
                        {.recovery = {.on_corruption = OnCorruption::kSkip}})
                        .Parse({kTokens}),
                    Targets(Gzip({30}, 8, 1))}),
      "records behind it would stand beside others",
      StatusCode::kInvalidArgument);
  EXPECT_THAT(Compile(Arranged(pairs), {.shards = 2, .hosts = 2},
                      {.shard_by = ShardBy::kRecord}),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("data.tfrecord-00000-of-00001.gz"),
                             HasSubstr("shard_by shares records that are "
                                       "reached by number"))));
}

TEST_F(ZippedSequenceTest, AStateIsOfTheSameDatasetsAndPartsOfThem) {
  const std::string source = Gzip({90}, 5, 1);
  const std::string target = Gzip({30, 60}, 5, 2);
  const Dataset before =
      Arranged(Dataset::Zip({Tokens(source), Targets(target)}));
  EXPECT_OK(Restored(before, before));
  EXPECT_THAT(
      Restored(before, Arranged(Dataset::Zip({Tokens(source).Take(80),
                                              Targets(target).Take(80)}))),
      StatusIs(StatusCode::kFailedPrecondition,
               HasSubstr("the files of dataset 0 of Zip differ")));
}

}  // namespace
}  // namespace penstock::testing
