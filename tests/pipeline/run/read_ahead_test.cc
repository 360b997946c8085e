#include "pipeline/run/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <limits>
#include <span>
#include <thread>
#include <vector>

#include "formats/files/file.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

// Rounds of `rows` texts of a hundred letters. Counts how many were asked for.
class FakeRounds final : public RoundSource {
 public:
  Status Seek(const State&) override { return OkStatus(); }
  StatusOr<std::optional<Round>> Next(const std::stop_token&) override {
    if (asked == rounds) return std::nullopt;
    Round round;
    ++asked;
    if (asked % empty_every == 0) return std::optional<Round>(std::move(round));
    for (uint64_t i = 0; i < rows; ++i) {
      round.records.push_back(rows * (asked - 1) + i);
      round.mine.push_back(static_cast<uint32_t>(i));
    }
    return std::optional<Round>(std::move(round));
  }
  StatusOr<bool> Load(const Round&, size_t, std::span<const uint64_t> ids,
                      uint64_t, bool alone, LoadScratch&,
                      std::vector<std::string_view>& records) const override {
    const uint64_t id = ids.front();
    if (id == fails_at) return DataLossError("bad round");
    if (id == large && !alone) return false;
    if (block_load != nullptr) block_load->wait();
    records.assign(std::min(at_once, ids.size()), text_);
    loaded += records.size();
    return true;
  }
  std::string Locate(uint64_t id) const override { return std::to_string(id); }
  std::vector<UnitPlace> UnitsOf(const State&) const override { return {}; }
  uint64_t NextBytes() const override { return 0; }
  uint64_t BufferBytes() const override { return 0; }

  uint64_t asked = 0;
  uint64_t rounds = 50;
  size_t rows = 10;
  uint64_t empty_every = kNoRecord;  // rounds, of which the last has no rows
  size_t at_once = 1000;
  uint64_t fails_at = kNoRecord;
  uint64_t large = kNoRecord;
  std::latch* block_load = nullptr;
  mutable std::atomic<size_t> loaded = 0;  // records

 private:
  const std::string text_ = std::string(100, 'x');
};

class ReadAheadTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Job> MakeJob() {
    const Dataset dataset = Dataset::Corpus("a.txt")
                                .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
                                .Bucket({.by = "tokens", .lengths = {128}})
                                .Batch({.size = 1});
    auto stages = FlattenStages(dataset);
    EXPECT_OK(stages);
    Sources sources;
    sources.each.emplace_back();
    auto decoder = SourceDecoders::Create(*stages, sources, 0);
    EXPECT_OK(decoder);
    return std::make_shared<const Job>(
        Job{.stages = *stages,
            .first_ids = {0},
            .topology = {},
            .graph = {},
            .shape_rows = {{0}},
            .decoder = *std::move(decoder),
            .placer = Placer(*stages, stages->MakeContract(), 0),
            .buffers = nullptr,
            .lane = std::make_shared<Lane>()});
  }
  // Of ten rows.
  uint64_t RoundBytes() const { return 10 * job_->decoder.RowBytes(128); }

  const std::shared_ptr<const Job> job_ = MakeJob();
  const std::shared_ptr<FakeRounds> rounds_ = std::make_shared<FakeRounds>();
  std::latch loading_{1};
  std::unique_ptr<TaskQueue> tasks_ = *TaskQueue::Create(2);
};

TEST_F(ReadAheadTest, RoundsComeInOrder) {
  ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 1 << 20});
  for (uint64_t i = 0; i < rounds_->rounds; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next({}));
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->round.records[0], 10 * i);
    ASSERT_EQ(decoded->parts.size(), 1u);
    EXPECT_EQ(decoded->parts[0].examples->rows, 10u);
    EXPECT_EQ(decoded->parts[0].lengths, std::vector<uint32_t>(10, 100));
  }
  ASSERT_OK_AND_ASSIGN(const auto end, ahead.Next({}));
  EXPECT_FALSE(end.has_value());
}

// Who waits for several is woken however few there are, those without rows of
// this host among them, and before an error as before the end.
TEST_F(ReadAheadTest, QuickRoundsComeAllOfThem) {
  constexpr uint64_t kFails = 400;  // a row of round 40
  for (const size_t in_flight : {0, 1, 2, 3, 5, 60}) {
    for (const uint64_t fails_at : {kNoRecord, kFails}) {
      const auto rounds = std::make_shared<FakeRounds>();
      rounds->fails_at = fails_at;
      rounds->empty_every = 3;
      ReadAhead ahead(job_, rounds, *tasks_,
                      {.budget_bytes = 1 << 20,
                       .rounds = in_flight,
                       .quick_ns = std::numeric_limits<int64_t>::max()});
      uint64_t rows = 0;
      for (uint64_t i = 0; i < (fails_at == kFails ? 40 : 50); ++i) {
        ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next({}));
        ASSERT_TRUE(decoded.has_value());
        for (const auto& part : decoded->parts) rows += part.lengths.size();
      }
      if (fails_at == kFails) {
        EXPECT_EQ(rows, 270u);
        EXPECT_EQ(ahead.Next({}).status(), DataLossError("bad round"));
      } else {
        EXPECT_EQ(rows, 340u);
        ASSERT_OK_AND_ASSIGN(const auto end, ahead.Next({}));
        EXPECT_FALSE(end.has_value());
      }
    }
  }
}

TEST_F(ReadAheadTest, ALargeRoundIsDecodedByAllThreads) {
  rounds_->rows = 200;
  rounds_->rounds = 1;
  // Both must be at it at once.
  std::latch both(2);
  class Meeting final : public RoundSource {
   public:
    Meeting(FakeRounds& fake, std::latch& latch) : fake_(fake), latch_(latch) {}
    Status Seek(const State& state) override { return fake_.Seek(state); }
    StatusOr<std::optional<Round>> Next(const std::stop_token& stop) override {
      return fake_.Next(stop);
    }
    StatusOr<bool> Load(const Round& round, size_t begin,
                        std::span<const uint64_t> ids, uint64_t limit,
                        bool alone, LoadScratch& scratch,
                        std::vector<std::string_view>& records) const override {
      if (begin == 0 || begin == 64) latch_.arrive_and_wait();
      return fake_.Load(round, begin, ids, limit, alone, scratch, records);
    }
    std::string Locate(uint64_t id) const override { return fake_.Locate(id); }
    std::vector<UnitPlace> UnitsOf(const State&) const override { return {}; }
    uint64_t NextBytes() const override { return 0; }
    uint64_t BufferBytes() const override { return 0; }

   private:
    FakeRounds& fake_;
    std::latch& latch_;
  };
  ReadAhead ahead(job_, std::make_shared<Meeting>(*rounds_, both), *tasks_,
                  {.budget_bytes = 1 << 20});
  ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next({}));
  size_t rows = 0;
  for (const auto& part : decoded->parts) rows += part.examples->rows;
  EXPECT_EQ(rows, 200u);
}

TEST_F(ReadAheadTest, APartLoadsNoRecordsOfTheNext) {
  rounds_->rows = 200;
  rounds_->rounds = 1;
  ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 1 << 20});
  ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next({}));
  EXPECT_EQ(decoded->parts.size(), 4u);
  EXPECT_EQ(rounds_->loaded, 200u);
}

TEST_F(ReadAheadTest, RecordsThatComeAFewAtATimeAreAllThere) {
  rounds_->at_once = 3;
  ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 1 << 20});
  ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next({}));
  EXPECT_EQ(decoded->parts[0].examples->rows, 10u);
}

TEST_F(ReadAheadTest, ALargeRecordIsReadAlone) {
  rounds_->large = 13;
  rounds_->at_once = 1;
  ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 1 << 20});
  for (int i = 0; i < 3; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next({}));
    EXPECT_EQ(decoded->parts[0].examples->rows, 10u);
  }
}

TEST_F(ReadAheadTest, ReadsNoFurtherThanItsBudget) {
  ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 3 * RoundBytes()});
  uint64_t most = 0;
  for (uint64_t taken = 1; taken <= rounds_->rounds; ++taken) {
    EXPECT_OK(ahead.Next({}));
    most = std::max(most, rounds_->asked - taken);
  }
  EXPECT_GE(most, 1u);  // it does read ahead
  EXPECT_LE(most, 2u);
}

TEST_F(ReadAheadTest, AnErrorComesInItsPlaceAndStays) {
  rounds_->fails_at = 20;
  ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 1 << 20});
  EXPECT_OK(ahead.Next({}));
  EXPECT_OK(ahead.Next({}));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ahead.Next({}).status(), DataLossError("bad round"));
  }
}

TEST_F(ReadAheadTest, AStopWakesWhoWaitsForARound) {
  rounds_->block_load = &loading_;
  {
    ReadAhead ahead(job_, rounds_, *tasks_, {.budget_bytes = 1 << 20});
    std::stop_source stop;
    std::latch started(1);
    std::thread reader([&] {
      started.count_down();
      EXPECT_EQ(ahead.Next(stop.get_token()).status().code(),
                StatusCode::kCancelled);
    });
    started.wait();
    stop.request_stop();
    reader.join();
  }
  loading_.count_down();
}

}  // namespace
}  // namespace penstock::testing
