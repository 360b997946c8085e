// Each host reads a part of the data: which, and what a run is then.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "pipeline/order/record_shares.h"
#include "tests/pipeline/graph/views_fixture.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using IdList = std::vector<uint64_t>;

class ShardingTest : public ViewsTest {
 protected:
  static RunOptions By(ShardBy by, uint32_t hosts, RunOptions options = {}) {
    options.hosts = hosts;
    options.shards = std::max(options.shards, hosts);
    options.change = [by](uint32_t, HostRun& run) {
      run.compile.shard_by = by;
    };
    return options;
  }
  // What each host fed, in order.
  static std::vector<IdList> OfHosts(const Dataset& dataset,
                                     const RunOptions& options) {
    std::vector<IdList> all;
    for (const auto& batches : RunHosts(dataset, options)) {
      EXPECT_OK(batches);
      IdList& ids = all.emplace_back();
      if (!batches.ok()) continue;
      for (const Batch& batch : *batches) {
        for (const uint64_t id : RowIds(batch)) {
          if (id != kNoRecord) ids.push_back(id);
        }
      }
    }
    return all;
  }
  static size_t Steps(const Dataset& dataset, const RunOptions& options) {
    const auto batches = RunAll(dataset, options);
    EXPECT_OK(batches);
    return batches.ok() ? batches->size() : 0;
  }
  static Dataset Fixed(const Dataset& dataset, int64_t rows,
                       Leftover leftover = Leftover::kPad) {
    return dataset.Parse({kId}).Batch({.size = rows, .leftover = leftover});
  }
  static std::string Told(const Dataset& dataset, ShardBy by, uint32_t hosts) {
    const auto pipeline =
        Compile(dataset, {.shards = hosts, .hosts = hosts}, {.shard_by = by});
    EXPECT_OK(pipeline);
    return pipeline.ok() ? pipeline->Explain() : "";
  }
  static Status Refusal(const Dataset& dataset, Topology topology, ShardBy by) {
    return Compile(dataset, topology, {.shard_by = by}).status();
  }
};

// Grain's even_split test.
TEST_F(ShardingTest, RangesAreThoseOfGrainsEvenSplit) {
  const struct {
    uint64_t records;
    uint32_t host, hosts;
    bool drop;
    uint64_t begin, end;
  } table[] = {
      {9, 0, 2, true, 0, 4},  {9, 1, 2, true, 4, 8},  {9, 0, 3, true, 0, 3},
      {9, 2, 3, true, 6, 9},  {9, 0, 2, false, 0, 5}, {9, 1, 2, false, 5, 9},
      {8, 0, 3, false, 0, 3}, {8, 1, 3, false, 3, 6}, {8, 2, 3, false, 6, 8}};
  for (const auto& row : table) {
    EXPECT_EQ(EvenSplit(row.records, row.host, row.hosts, row.drop),
              std::pair(row.begin, row.end))
        << row.records << " " << row.host << " " << row.hosts;
  }
  const Dataset nine = Read(Write(9));
  EXPECT_THAT(OfHosts(Fixed(nine, 2), By(ShardBy::kRange, 2)),
              ElementsAre(ElementsAre(0, 1, 2, 3, 4), ElementsAre(5, 6, 7, 8)));
  EXPECT_THAT(OfHosts(Fixed(nine, 2, Leftover::kDrop), By(ShardBy::kRange, 2)),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4, 5, 6, 7)));
}

// tf.data's auto_shard_dataset test: ten files of ten records, five workers.
TEST_F(ShardingTest, FilesAndRecordsAreThoseOfTfDatasAutoShard) {
  const Dataset hundred = Read(Write(100, 4, {.files = 10}));
  const auto by_file = OfHosts(Fixed(hundred, 5), By(ShardBy::kFile, 5));
  for (uint64_t host = 0; host < 5; ++host) {
    IdList files_h_and_h5;
    for (uint64_t r = 0; r < 10; ++r) files_h_and_h5.push_back(10 * host + r);
    for (uint64_t r = 0; r < 10; ++r) {
      files_h_and_h5.push_back(10 * (host + 5) + r);
    }
    EXPECT_EQ(by_file[host], files_h_and_h5);
  }
  // DATA: of every file, worker 0 has records 0 and 5.
  const auto by_record = OfHosts(Fixed(hundred, 5), By(ShardBy::kRecord, 5));
  for (const uint64_t id : by_record[0]) EXPECT_EQ(id % 5, 0u);
  EXPECT_EQ(by_record[0].size(), 20u);
  // range(100) on 10 workers: 0, 10, ..., 90.
  EXPECT_THAT(OfHosts(Fixed(hundred, 10), By(ShardBy::kRecord, 10))[0],
              ElementsAre(0, 10, 20, 30, 40, 50, 60, 70, 80, 90));
  // range(4).prefetch, 2 workers.
  EXPECT_THAT(OfHosts(Fixed(Read(Write(4)), 2), By(ShardBy::kRecord, 2)),
              ElementsAre(ElementsAre(0, 2), ElementsAre(1, 3)));
  // Both inputs of a concatenation are shared.
  EXPECT_THAT(
      OfHosts(Fixed(Dataset::Concat({Read(Write(4)), Read(Write(4))}), 2),
              By(ShardBy::kRecord, 2)),
      ElementsAre(ElementsAre(0, 2, 4, 6), ElementsAre(1, 3, 5, 7)));
}

// MaxText's test of files on hosts: 8 on 4 and 5 on 4.
TEST_F(ShardingTest, FilesGoToHostsAsMaxTextHasThem) {
  const auto files = [&](uint32_t count) {
    std::vector<std::set<uint64_t>> of_hosts;
    for (const IdList& ids :
         OfHosts(Fixed(Read(Write(count, 4, {.files = count})), 4),
                 By(ShardBy::kFile, 4))) {
      of_hosts.emplace_back(ids.begin(), ids.end());
    }
    return of_hosts;
  };
  EXPECT_THAT(files(8), ElementsAre(ElementsAre(0, 4), ElementsAre(1, 5),
                                    ElementsAre(2, 6), ElementsAre(3, 7)));
  EXPECT_THAT(files(5), ElementsAre(ElementsAre(0, 4), ElementsAre(1),
                                    ElementsAre(2), ElementsAre(3)));
}

TEST_F(ShardingTest, AutoTakesFilesThatDivideAndElseRecordsAndSaysWhy) {
  const auto of_files = [&](uint32_t files) {
    return Fixed(Read(Write(24, 4, {.files = files})), 8);
  };
  EXPECT_THAT(Told(of_files(8), ShardBy::kAuto, 4),
              HasSubstr("shares    by file over 4 hosts, as the files divide "
                        "by 4 hosts; records of each in an epoch: 6, 6, 6, 6"));
  EXPECT_THAT(Told(of_files(5), ShardBy::kAuto, 4),
              AllOf(HasSubstr("by record over 4 hosts, as the 5 files of "
                              "source 0"),
                    HasSubstr("do not divide by 4 hosts")));
  EXPECT_THAT(Told(of_files(2), ShardBy::kAuto, 4), HasSubstr("by record"));
  EXPECT_THAT(OfHosts(of_files(8), By(ShardBy::kAuto, 4)),
              OfHosts(of_files(8), By(ShardBy::kFile, 4)));
}

// All hosts make as many steps, whatever their shares are.
TEST_F(ShardingTest, OneRecordMoreIsOneStepMoreOfRowsThatPad) {
  const Dataset odd = Read(Write(1025, 1));
  for (const ShardBy by : {ShardBy::kRecord, ShardBy::kRange}) {
    std::vector<uint64_t> sizes;
    for (const IdList& ids : OfHosts(Fixed(odd, 8), By(by, 4))) {
      sizes.push_back(ids.size());
    }
    EXPECT_THAT(sizes, ElementsAre(257, 256, 256, 256));
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(Fixed(odd, 8), By(by, 4)));
    EXPECT_EQ(batches.size(), 129u);
    EXPECT_EQ(RealIds(batches), Iota(1025));
    EXPECT_EQ(batches.back().state_after.counts.pad_rows, 7u);
    EXPECT_THAT(Told(Fixed(odd, 8), by, 4), HasSubstr("129 steps, 7 rows of"));
    EXPECT_EQ(Steps(Fixed(odd, 8, Leftover::kDrop), By(by, 4)), 128u);
  }
}

TEST_F(ShardingTest, AHostWithoutRecordsMakesItsPadding) {
  const Dataset three = Read(Write(3, 4, {.files = 1}));
  for (const ShardBy by : {ShardBy::kRecord, ShardBy::kRange}) {
    EXPECT_THAT(
        OfHosts(Fixed(three, 4), By(by, 4)),
        ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), IsEmpty()));
    EXPECT_EQ(Steps(Fixed(three, 4), By(by, 4)), 1u);
    EXPECT_EQ(Steps(Batched(three), By(by, 4)), 1u);
  }
  EXPECT_THAT(
      Refusal(Fixed(three, 4), {.shards = 4, .hosts = 4}, ShardBy::kFile),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("has only 1"), HasSubstr("ShardBy::kRecord"))));
}

// Files of very different sizes: the hosts of the small ones pad.
TEST_F(ShardingTest, UnequalFilesEndWithRowsThatPadOrWithTheShortest) {
  const Dataset dataset = Dataset::Concat(
      {Read(Write(200, 4, {.files = 2})), Read(Write(3, 4, {.files = 2}))});
  // 101 records and 102.
  EXPECT_EQ(Steps(Fixed(dataset, 2), By(ShardBy::kFile, 2)), 102u);
  ScratchFolder folder;
  const std::string small = WriteDataset(folder, {4}, {.files = 1});
  const Dataset uneven = Read(Write(100, 4, {.files = 1}) + "," + small);
  ASSERT_OK_AND_ASSIGN(const auto batches,
                       RunAll(Batched(uneven, 2), By(ShardBy::kFile, 2)));
  EXPECT_EQ(batches.size(), 100u);
  EXPECT_EQ(RealIds(batches), Iota(101));
  EXPECT_EQ(Steps(Fixed(uneven, 2, Leftover::kDrop), By(ShardBy::kFile, 2)),
            1u);
}

// What longer shares lose to the shortest counts as what fills no batch does,
// in the run, in its states and where it goes on.
TEST_F(ShardingTest, RecordsThatAreCutOffCountAsDroppedInEveryEpoch) {
  const Dataset odd = Read(Write(103, 4, {.files = 3}))
                          .Shuffle({.seed = 2})
                          .Repeat({.epochs = 3});
  for (const ShardBy by : {ShardBy::kFile, ShardBy::kRecord, ShardBy::kRange}) {
    for (const Dataset& dataset :
         {Fixed(odd, 4, Leftover::kDrop),
          odd.Bucket({.by = "tokens", .lengths = {4, 40}})
              .Batch({.size = 4, .leftover = Leftover::kDrop})}) {
      ASSERT_OK_AND_ASSIGN(
          Pipeline pipeline,
          Compile(dataset, {.shards = 2, .hosts = 2}, {.shard_by = by}));
      EXPECT_EQ(pipeline.records_per_epoch(), 103u);
      EXPECT_THAT(pipeline.Explain(), HasSubstr("of longer shares are left"));
      std::optional<State> middle;
      const auto to_end = [&](Pipeline& run) {
        for (;;) {
          const auto batch = run.Next();
          EXPECT_OK(batch);
          if (!batch.ok() || !*batch) return run.counts();
          const State& after = (*batch)->state_after;
          // The epochs before are whole, of this one nothing is cut off yet.
          EXPECT_LE(after.counts.records + after.counts.dropped,
                    103 * (after.epoch + 1));
          EXPECT_GE(after.counts.records + after.counts.dropped,
                    103 * after.epoch);
          if (after.epoch == 1 && !middle) middle = after;
        }
      };
      const PipelineCounts counts = to_end(pipeline);
      EXPECT_EQ(counts.records + counts.dropped, 3u * 103);
      EXPECT_GT(counts.dropped, 0u);
      ASSERT_OK_AND_ASSIGN(
          Pipeline rest,
          Compile(dataset, {.shards = 2, .hosts = 2}, {.shard_by = by}));
      ASSERT_TRUE(middle);
      EXPECT_OK(rest.Restore(*middle));
      EXPECT_EQ(to_end(rest), counts);
    }
  }
}

// 50 and 50 of the one source, 3 and 2 of the other.
TEST_F(ShardingTest, SourcesAreTheirPartsOfTheRowsThatAreKept) {
  const Dataset dataset = Fixed(
      Dataset::Concat({Read(Write(100)), Read(Write(5))}), 20, Leftover::kDrop);
  EXPECT_THAT(Told(dataset, ShardBy::kRecord, 2),
              AllOf(HasSubstr("records of each in an epoch: 50, 50; 5 of"),
                    HasSubstr("95.25 % of all rows"),
                    HasSubstr("4.753 % of all rows")));
}

TEST_F(ShardingTest, LeftoversThatAreErrorsAreToldBeforeTheFirstStep) {
  const Topology two = {.shards = 2, .hosts = 2};
  const auto fails = [](const std::string& words) {
    return StatusIs(StatusCode::kFailedPrecondition, HasSubstr(words));
  };
  const auto fixed = [&](uint64_t records, DatasetFiles files = {}) {
    return Fixed(Read(Write(records, 4, files)), 4, Leftover::kError);
  };
  EXPECT_OK(Refusal(fixed(16), two, ShardBy::kRecord));
  EXPECT_THAT(Refusal(fixed(18), two, ShardBy::kRecord),
              fails("the 9 rows of host 0 do not fill its 2 rows of whole "
                    "batches: 1 are left over"));
  // Files of 6, 6 and 6 records.
  EXPECT_THAT(Refusal(fixed(18, {.files = 3}), two, ShardBy::kFile),
              fails("host 1 has rows for 3 steps, and another for 6"));
  // Of two lengths: even records are short.
  ScratchFolder folder;
  std::vector<uint32_t> lengths;
  for (uint64_t i = 0; i < 16; ++i) lengths.push_back(i % 2 == 0 ? 3 : 9);
  const Dataset buckets = Read(WriteDataset(folder, lengths))
                              .Bucket({.by = "tokens", .lengths = {4, 12}});
  const auto batched = [&](int64_t rows) {
    return buckets.Batch({.size = rows, .leftover = Leftover::kError});
  };
  EXPECT_OK(Refusal(batched(4), two, ShardBy::kRange));
  EXPECT_THAT(Refusal(batched(16), two, ShardBy::kRange),
              fails("the 4 rows of length 4 of host 0 do not fill its 8"));
  // As many parts as there must be, but one host's are all of one length: that
  // is known as the epoch ends.
  EXPECT_OK(Refusal(batched(4), two, ShardBy::kRecord));
  EXPECT_THAT(RunAll(batched(4), By(ShardBy::kRecord, 2)),
              fails("do not fill whole batches"));
}

// A host's shuffle stays in its share, and two hosts' have nothing in common.
TEST_F(ShardingTest, EachHostShufflesItsShareInAnOrderOfItsOwn) {
  const Dataset dataset =
      Fixed(Read(Write(2000, 1)).Shuffle({.seed = 5}).Repeat({.epochs = 2}), 4);
  const auto hosts = OfHosts(dataset, By(ShardBy::kRange, 2));
  std::vector<IdList> first;
  for (uint64_t host = 0; host < 2; ++host) {
    IdList epochs[2] = {{hosts[host].begin(), hosts[host].begin() + 1000},
                        {hosts[host].begin() + 1000, hosts[host].end()}};
    EXPECT_NE(epochs[0], epochs[1]);
    for (uint64_t& id : epochs[0]) id -= 1000 * host;
    first.push_back(epochs[0]);
    std::ranges::sort(epochs[0]);
    EXPECT_EQ(epochs[0], Iota(1000));
  }
  size_t equal = 0;
  for (size_t i = 0; i < 1000; ++i) equal += first[0][i] == first[1][i] ? 1 : 0;
  EXPECT_LT(equal, 10u);  // one is expected
  // seed + host would make host 1 of seed 5 what host 0 of seed 6 is.
  const auto next = OfHosts(Fixed(Read(Write(2000, 1)).Shuffle({.seed = 6}), 4),
                            By(ShardBy::kRange, 2));
  EXPECT_NE(next[0], first[1]);
}

TEST_F(ShardingTest, RecordsThatAreLeftOutAreInNoShare) {
  const Dataset dataset = Read(Write(20)).Exclude({0, 1, 2, 10});
  EXPECT_THAT(OfHosts(Fixed(dataset, 2), By(ShardBy::kRange, 2)),
              ElementsAre(ElementsAre(3, 4, 5, 6, 7, 8, 9, 11),
                          ElementsAre(12, 13, 14, 15, 16, 17, 18, 19)));
  EXPECT_THAT(OfHosts(Fixed(dataset.Take(2), 2), By(ShardBy::kRecord, 2)),
              ElementsAre(ElementsAre(3, 5), ElementsAre(4, 6)));
  const Dataset half = Read(Write(200)).Split({.end = 0.5});
  for (const ShardBy by : {ShardBy::kFile, ShardBy::kRecord, ShardBy::kRange}) {
    ASSERT_OK_AND_ASSIGN(const auto shared, RunAll(Batched(half), By(by, 2)));
    ASSERT_OK_AND_ASSIGN(const auto plain, RunAll(Batched(half)));
    EXPECT_EQ(RealIds(shared), RealIds(plain));
  }
}

// Each host mixes what it has, and none of them mixes for all.
TEST_F(ShardingTest, OfAMixEachHostFeedsItsShare) {
  const Dataset mix =
      Dataset::Mix({{Read(Write(40))}, {Read(Write(40)).Shuffle({.seed = 5})}});
  for (const bool streamed : {false, true}) {
    std::vector<IdList> fed = OfHosts(
        Fixed(mix, 4), By(ShardBy::kRecord, 2, {.force_streamed = streamed}));
    for (uint64_t host = 0; host < 2; ++host) {
      IdList share;
      for (uint64_t id = host; id < 80; id += 2) share.push_back(id);
      std::ranges::sort(fed[host]);
      EXPECT_EQ(fed[host], share) << "host " << host;
    }
  }
}

TEST_F(ShardingTest, AStateIsOfAsManyHostsAndSaysHowToHaveItOtherwise) {
  const Dataset dataset = Fixed(Read(Write(48)), 12);
  ASSERT_OK_AND_ASSIGN(const auto two, RunAll(dataset, By(ShardBy::kRange, 2)));
  const auto resumed = [&](ShardBy by, uint32_t hosts, uint32_t shards) {
    RunOptions options = By(by, hosts);
    options.shards = shards;
    options.restore = two[0].state_after;
    return RunAll(dataset, options);
  };
  // More devices on the same hosts, which feed the same rows.
  ASSERT_OK_AND_ASSIGN(const auto rest, resumed(ShardBy::kRange, 2, 4));
  EXPECT_EQ(std::vector(two.begin() + 1, two.end()), rest);
  EXPECT_THAT(
      resumed(ShardBy::kRange, 3, 3),
      StatusIs(StatusCode::kFailedPrecondition,
               AllOf(HasSubstr("with sharding by ranges of records over 2 "
                               "hosts"),
                     HasSubstr("over 3 hosts"), HasSubstr("ShardBy::kPlan"))));
  EXPECT_THAT(resumed(ShardBy::kRecord, 2, 2),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("sharding by record over 2")));
  EXPECT_THAT(resumed(ShardBy::kPlan, 2, 2),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("this one is without shard_by")));
}

TEST_F(ShardingTest, WhatCannotBeSharedIsRefusedWithAReason) {
  const Dataset dataset = Fixed(Read(Write(20)), 4);
  EXPECT_THAT(
      Refusal(dataset,
              {.shards = 2, .hosts = 2, .shards_of_host = {{0, 1}, {1}}},
              ShardBy::kRecord),
      StatusIs(StatusCode::kInvalidArgument,
               HasSubstr("hosts 0 and 1 both feed row 2")));
  EXPECT_THAT(Refusal(Fixed(Read(Write(20)), 3), {.shards = 4, .hosts = 4},
                      ShardBy::kRecord),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("host 3 records, but of a batch of 3 rows it "
                                 "feeds none")));
  const Dataset gzip = Read(Write(20, 4, {.compression = Compression::kGzip}));
  EXPECT_THAT(
      Refusal(Fixed(gzip, 4), {.shards = 2, .hosts = 2}, ShardBy::kFile),
      StatusIs(StatusCode::kInvalidArgument,
               AllOf(HasSubstr("recordtool index"), HasSubstr("shard_by"))));
  EXPECT_THAT(Refusal(Read(Write(20))
                          .Pack({.by = "tokens", .length = 8})
                          .Batch({.size = 4, .balance = {.parts = 2}}),
                      {.shards = 2, .hosts = 2}, ShardBy::kFile),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr("balance")));
}

TEST_F(ShardingTest, HostsThatShareInOtherWaysDoNotBegin) {
  RunOptions options = By(ShardBy::kRange, 2);
  options.change = [](uint32_t host, HostRun& run) {
    run.compile.shard_by = host == 0 ? ShardBy::kRange : ShardBy::kRecord;
  };
  EXPECT_THAT(RunAll(Fixed(Read(Write(20)), 4), options),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("hosts 0 and 1 differ in their stages")));
}

}  // namespace
}  // namespace penstock::testing
