#include "pipeline/run/read_ahead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "formats/files/file.h"
#include "pipeline/build/held_rows.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

// Rounds of ten texts of a hundred letters. Counts how many were asked for.
class FakeRounds final : public RoundSource {
 public:
  Status Seek(const State&) override { return OkStatus(); }
  StatusOr<std::optional<Round>> Next() override {
    if (asked == rounds) return std::nullopt;
    Round round;
    for (uint64_t i = 0; i < 10; ++i) {
      round.positions.push_back(10 * asked + i);
      round.ids.push_back(10 * asked + i);
    }
    ++asked;
    return std::optional<Round>(std::move(round));
  }
  Status Load(Round& round) const override {
    if (round.ids[0] == fails_at) return DataLossError("bad round");
    if (block_load != nullptr) block_load->wait();
    round.records.records.assign(10, text_);
    return OkStatus();
  }
  std::string Locate(uint64_t id) const override { return std::to_string(id); }
  uint64_t BufferBytes() const override { return 0; }

  uint64_t asked = 0;
  uint64_t rounds = 50;
  uint64_t fails_at = kNoRecord;
  std::latch* block_load = nullptr;

 private:
  const std::string text_ = std::string(100, 'x');
};

class ReadAheadTest : public ::testing::Test {
 protected:
  // Ten rows of a hundred tokens of 8 bytes and their offsets.
  static constexpr uint64_t kRoundBytes = 8100;

  static std::shared_ptr<const Job> MakeJob() {
    const Dataset dataset = Dataset::Corpus("a.txt")
                                .Tokenize(*LoadTokenizer(LocalFiles(), "bytes"))
                                .Bucket({.by = "tokens", .lengths = {128}})
                                .Batch({.size = 1});
    auto stages = FlattenStages(dataset, 1);
    EXPECT_OK(stages);
    auto decoder = Decoder::Create(*stages);
    EXPECT_OK(decoder);
    return std::make_shared<const Job>(
        Job{.stages = *stages,
            .topology = {},
            .shards = {0},
            .rows_per_shard = 1,
            .decoder = *std::move(decoder),
            .placer = Placer(*stages, stages->MakeContract())});
  }

  const std::shared_ptr<FakeRounds> rounds_ = std::make_shared<FakeRounds>();
  std::latch loading_{1};
  Workers workers_{2};  // ends first: its tasks use the others
};

TEST_F(ReadAheadTest, RoundsComeInOrder) {
  ReadAhead ahead(MakeJob(), rounds_, workers_, 1 << 20);
  for (uint64_t i = 0; i < rounds_->rounds; ++i) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next());
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->round.ids[0], 10 * i);
    EXPECT_EQ(decoded->examples->rows, 10u);
  }
  ASSERT_OK_AND_ASSIGN(const auto end, ahead.Next());
  EXPECT_FALSE(end.has_value());
}

TEST_F(ReadAheadTest, ReadsNoFurtherThanItsBudget) {
  constexpr uint64_t kRounds = 3;
  ReadAhead ahead(MakeJob(), rounds_, workers_, kRounds * 3 * kRoundBytes);
  uint64_t most = 0;
  for (uint64_t taken = 1; taken <= rounds_->rounds; ++taken) {
    EXPECT_OK(ahead.Next());
    most = std::max(most, rounds_->asked - taken);
  }
  EXPECT_GE(most, 1u);  // it does read ahead
  EXPECT_LE(most, 3 * kRounds);
}

TEST_F(ReadAheadTest, RowsThatLiveOnCountAgainstTheBudget) {
  ReadAhead ahead(MakeJob(), rounds_, workers_, 2 * kRoundBytes);
  std::vector<std::shared_ptr<const Examples>> kept;
  for (uint64_t taken = 1; taken <= rounds_->rounds; ++taken) {
    ASSERT_OK_AND_ASSIGN(const auto decoded, ahead.Next());
    kept.push_back(decoded->examples);
    // Two rounds fill the budget; then one at a time, as one always may.
    EXPECT_LE(rounds_->asked, taken + (taken <= 2 ? 2 : 0));
  }
}

TEST_F(ReadAheadTest, AnErrorComesInItsPlaceAndStays) {
  rounds_->fails_at = 20;
  ReadAhead ahead(MakeJob(), rounds_, workers_, 1 << 20);
  EXPECT_OK(ahead.Next());
  EXPECT_OK(ahead.Next());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(ahead.Next().status(), DataLossError("bad round"));
  }
}

TEST_F(ReadAheadTest, CancelWakesWhoWaitsForARound) {
  rounds_->block_load = &loading_;
  {
    ReadAhead ahead(MakeJob(), rounds_, workers_, 1 << 20);
    std::latch started(1);
    std::thread reader([&] {
      started.count_down();
      EXPECT_EQ(ahead.Next().status().code(), StatusCode::kCancelled);
    });
    started.wait();
    ahead.Cancel();
    reader.join();
  }
  loading_.count_down();
}

Examples Rows(std::vector<std::vector<int64_t>> rows) {
  Examples examples;
  examples.columns.resize(1);
  Column& column = examples.columns[0];
  column.name = "tokens";
  column.type = FeatureType::kInt64;
  for (const auto& row : rows) {
    column.ints.insert(column.ints.end(), row.begin(), row.end());
    column.row_offsets.push_back(column.ints.size());
  }
  examples.rows = rows.size();
  return examples;
}

TEST(HeldRowsTest, DetachedRowsStayInOrderAndLetTheirRoundGo) {
  auto round =
      std::make_shared<const Examples>(Rows({{1}, {2, 2}, {}, {4, 4, 4}}));
  const std::weak_ptr<const Examples> alive = round;
  HeldRows held(/*queues=*/2, /*shards=*/1);
  held.Add(0, 0, {round, 0, 10});
  held.Add(1, 0, {round, 1, 11});
  held.Add(0, 0, {round, 2, 12});
  held.Add(0, 0, {round, 3, 13});
  HeldRow first;
  held.Take(0, 0, 1, &first);
  EXPECT_EQ(first.record_id, 10u);
  first = {};
  held.Detach(round.get());
  round.reset();
  EXPECT_TRUE(alive.expired());
  std::vector<HeldRow> rest(3);
  held.Take(0, 0, 2, rest.data());
  held.Take(1, 0, 1, &rest[2]);
  const std::vector<std::vector<int64_t>> expected = {{}, {4, 4, 4}, {2, 2}};
  const std::vector<uint64_t> ids = {12, 13, 11};
  for (size_t i = 0; i < 3; ++i) {
    const auto values = rest[i].examples->columns[0].ints_of(rest[i].row);
    EXPECT_EQ(std::vector<int64_t>(values.begin(), values.end()), expected[i]);
    EXPECT_EQ(rest[i].record_id, ids[i]);
  }
}

}  // namespace
}  // namespace penstock::testing
