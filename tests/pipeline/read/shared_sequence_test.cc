#include "pipeline/read/shared_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <thread>

#include "formats/files/file.h"
#include "pipeline/read/record_sequence.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

struct Taken {
  uint64_t id = 0;
  uint64_t size_bytes = 0;
  std::string bytes;
  uint32_t host = 0;
};

class SharedSequenceTest : public ::testing::Test {
 protected:
  // A file with a record a line.
  void AddFile(const std::vector<std::string>& records) {
    paths_.push_back(folder_ / ("f" + std::to_string(paths_.size()) + ".txt"));
    std::ofstream file(paths_.back());
    for (const std::string& record : records) file << record << "\n";
  }
  // `files` files, of which file i has as many records as sizes[i].
  void AddFiles(const std::vector<size_t>& sizes) {
    for (const size_t size : sizes) {
      std::vector<std::string> records;
      for (size_t i = 0; i < size; ++i) {
        records.push_back("record " + std::to_string(all_.size()) +
                          std::string(all_.size() % 5, 'x'));
        all_.push_back(records.back());
      }
      AddFile(records);
    }
  }
  static OpenOptions Lines() {
    return {.kind = FileKind::kText, .text_unit = TextUnit::kLine};
  }

  // What each host takes, to the end of an epoch; or how it ended.
  template <typename Change>
  std::vector<StatusOr<std::vector<Taken>>> TakeAll(uint32_t hosts,
                                                    Change change,
                                                    SequenceStart start = {}) {
    const auto ends = ThreadGroup(hosts);
    std::vector<StatusOr<std::vector<Taken>>> taken(hosts,
                                                    UnknownError("not run"));
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < hosts; ++host) {
      threads.emplace_back([&, host] {
        UnitReaderOptions options = {.hosts = hosts, .host = host};
        change(options);
        SharedSequence sequence(*ends[host], LocalFiles(), paths_, Lines(),
                                options);
        taken[host] = Take(sequence, start);
        if (!taken[host].ok()) ends[host]->Fail(taken[host].status());
      });
    }
    for (std::thread& thread : threads) thread.join();
    return taken;
  }
  static StatusOr<std::vector<Taken>> Take(Sequence& sequence,
                                           const SequenceStart& start) {
    std::vector<Taken> taken;
    PENSTOCK_RETURN_IF_ERROR(sequence.StartAt(start));
    for (;;) {
      const auto record = sequence.Next({});
      if (!record.ok()) return sequence.CauseOf(record.status());
      if (!record->has_value()) return taken;
      taken.push_back({(*record)->id, (*record)->size_bytes,
                       std::string((*record)->bytes), (*record)->host});
    }
  }

  ScratchFolder folder_;
  std::vector<std::string> paths_;
  std::vector<std::string> all_;
};

TEST_F(SharedSequenceTest, EachRecordIsAtOneHostAndKnownToAll) {
  AddFiles({7, 0, 1, 30, 0, 4});
  for (const uint32_t hosts : {1, 2, 3, 8}) {
    for (const bool deals : {false, true}) {
      // Down to one record at a time.
      for (const uint64_t ahead : {1, 40, 4096}) {
        const auto taken = TakeAll(hosts, [&](UnitReaderOptions& options) {
          options.deals = deals;
          options.ahead_bytes = ahead;
          options.ahead_records = ahead;
          options.deal_records = 2;
        });
        std::vector<uint64_t> decoded(hosts);
        for (uint32_t host = 0; host < hosts; ++host) {
          ASSERT_OK(taken[host]);
          ASSERT_EQ(taken[host]->size(), all_.size());
          for (size_t i = 0; i < all_.size(); ++i) {
            const Taken& record = (*taken[host])[i];
            EXPECT_EQ(record.id, i);
            EXPECT_EQ(record.size_bytes, all_[i].size());
            EXPECT_EQ(record.host, (*taken[0])[i].host);
            EXPECT_EQ(record.bytes, record.host == host ? all_[i] : "");
            if (record.host == host) ++decoded[host];
          }
        }
        if (!deals) {
          // File 0 is host 0's, file 3 that of 3 mod hosts, ...
          EXPECT_GE(decoded[0], 7u);
          if (hosts == 8) {
            EXPECT_EQ(decoded[3], 30u);
          }
        } else if (hosts < 8 && ahead == 40) {
          for (const uint64_t records : decoded) EXPECT_GT(records, 5u);
        }
      }
    }
  }
}

TEST_F(SharedSequenceTest, WhatIsNotNeededIsPassedOver) {
  AddFiles({10, 10, 10, 10, 10});
  const SequenceStart start = {.units = {{.unit = 1, .first_record = 10},
                                         {.unit = 3, .first_record = 30}},
                               .needed = {12, 15},
                               .end = 34};
  for (const bool deals : {false, true}) {
    const auto taken = TakeAll(
        3, [&](UnitReaderOptions& options) { options.deals = deals; }, start);
    std::vector<uint64_t> ids;
    for (uint64_t id = 10; id < 16; ++id) ids.push_back(id);
    for (uint64_t id = 30; id < 50; ++id) ids.push_back(id);
    std::vector<std::string> bytes(ids.size());
    for (const auto& of_host : taken) {
      ASSERT_OK(of_host);
      ASSERT_EQ(of_host->size(), ids.size());
      for (size_t i = 0; i < ids.size(); ++i) {
        EXPECT_EQ((*of_host)[i].id, ids[i]);
        bytes[i] += (*of_host)[i].bytes;
      }
    }
    for (size_t i = 0; i < ids.size(); ++i) {
      const bool needed = ids[i] == 12 || ids[i] == 15 || ids[i] >= 34;
      EXPECT_EQ(bytes[i], needed ? all_[ids[i]] : "") << ids[i];
    }
  }
}

TEST_F(SharedSequenceTest,
       ALargeRecordStaysWhereItWasReadAndOneTooLargeNowhere) {
  AddFile({"a", std::string(200, 'b'), "c", std::string(300, 'd'), "e"});
  const auto taken = TakeAll(3, [](UnitReaderOptions& options) {
    options.deals = true;
    options.ahead_bytes = 30;
    options.deal_bytes = 30;
    options.max_record_bytes = 250;
  });
  for (uint32_t host = 0; host < 3; ++host) {
    ASSERT_OK(taken[host]);
    const std::vector<Taken>& records = *taken[host];
    ASSERT_EQ(records.size(), 5u);
    EXPECT_EQ(records[1].host, 0u);
    EXPECT_EQ(records[1].bytes.size(), host == 0 ? 200u : 0u);
    EXPECT_EQ(records[3].size_bytes, 300u);
    EXPECT_EQ(records[3].bytes, "");
  }
}

TEST_F(SharedSequenceTest, AFileThatIsGoneEndsAllWithTheCauseOfItsReader) {
  AddFiles({3, 3, 3});
  ASSERT_OK(LocalFiles().Remove(paths_[1]));
  const auto taken = TakeAll(3, [](UnitReaderOptions&) {});
  for (const auto& of_host : taken) {
    EXPECT_EQ(of_host.status(), taken[1].status());
    EXPECT_THAT(of_host.status(),
                StatusIs(StatusCode::kNotFound, HasSubstr("f1.txt")));
  }
}

TEST_F(SharedSequenceTest, ASecondEpochIsReadBehindTheFirst) {
  AddFiles({3, 0, 5});
  const auto ends = ThreadGroup(2);
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < 2; ++host) {
    threads.emplace_back([&, host] {
      SharedSequence sequence(*ends[host], LocalFiles(), paths_, Lines(),
                              {.hosts = 2, .host = host, .epochs = 2});
      for (uint64_t epoch = 0; epoch < 2; ++epoch) {
        const auto taken = Take(sequence, {.epoch = epoch});
        ASSERT_OK(taken);
        ASSERT_EQ(taken->size(), 8u);
        EXPECT_EQ(taken->back().id, 7u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// A view may end before the end of an epoch.
TEST_F(SharedSequenceTest, AnEpochThatIsLeftIsPassedOver) {
  AddFiles({7, 0, 1, 30, 0, 4});
  for (const uint32_t hosts : {1, 2, 3, 8}) {
    for (const bool deals : {false, true}) {
      for (const uint64_t ahead : {1, 40, 4096}) {
        const auto ends = ThreadGroup(hosts);
        std::vector<std::thread> threads;
        for (uint32_t host = 0; host < hosts; ++host) {
          threads.emplace_back([&, host] {
            UnitReaderOptions options = {
                .hosts = hosts, .host = host, .epochs = 0, .deals = deals};
            options.ahead_bytes = ahead;
            options.ahead_records = ahead;
            options.deal_records = 2;
            SharedSequence sequence(*ends[host], LocalFiles(), paths_, Lines(),
                                    options);
            uint64_t epoch = 0;
            for (const size_t taken : {3, 0, 7, 8, 42, 20, 42}) {
              ASSERT_OK(sequence.StartAt({.epoch = epoch++}));
              for (size_t i = 0; i < taken; ++i) {
                const auto record = sequence.Next({});
                ASSERT_OK(record);
                ASSERT_TRUE(record->has_value());
                ASSERT_EQ((*record)->id, i);
                ASSERT_EQ((*record)->bytes,
                          (*record)->host == host ? all_[i] : "");
              }
            }
            ASSERT_OK_AND_ASSIGN(const bool more, sequence.HasNext({}));
            EXPECT_FALSE(more);
          });
        }
        for (std::thread& thread : threads) thread.join();
      }
    }
  }
}

TEST_F(SharedSequenceTest, WhatCannotBeReadBehindAnEpochThatIsLeftEndsNobody) {
  AddFiles({4, 4, 4, 4});
  ASSERT_OK(LocalFiles().Remove(paths_[2]));
  for (const bool deals : {false, true}) {
    const auto ends = ThreadGroup(3);
    std::vector<std::thread> threads;
    for (uint32_t host = 0; host < 3; ++host) {
      threads.emplace_back([&, host] {
        SharedSequence sequence(
            *ends[host], LocalFiles(), paths_, Lines(),
            {.hosts = 3, .host = host, .epochs = 0, .deals = deals});
        for (uint64_t epoch = 0; epoch < 4; ++epoch) {
          ASSERT_OK(sequence.StartAt({.epoch = epoch}));
          for (size_t i = 0; i < 8; ++i) ASSERT_OK(sequence.Next({}));
        }
        // It still ends who needs it.
        const auto missing = sequence.Next({});
        ASSERT_FALSE(missing.ok());
        const Status cause = sequence.CauseOf(missing.status());
        ends[host]->Fail(cause);
        EXPECT_THAT(cause,
                    StatusIs(StatusCode::kNotFound, HasSubstr("f2.txt")));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_F(SharedSequenceTest, PlacesThatNoStateHasAreRefused) {
  AddFiles({3, 3});
  const auto ends = ThreadGroup(1);
  SharedSequence sequence(*ends[0], LocalFiles(), paths_, Lines(), {});
  EXPECT_THAT(sequence.StartAt({.units = {{.unit = 2}}}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("reads file 2, counted from 0, of 2")));
  EXPECT_THAT(sequence.StartAt({.units = {{.unit = 1}, {.unit = 0}}}),
              StatusIs(StatusCode::kFailedPrecondition,
                       HasSubstr("not in their order")));
}

TEST(ToldRecordsTest, WhatIsCutOffAnywhereIsAnError) {
  ToldRecords told;
  told.epoch = 3;
  told.unit = 300;
  told.ends_unit = true;
  told.runs = {{.host = 1, .records = 2}, {.host = 0, .records = 1}};
  told.sizes = {5, 70'000, uint64_t{1} << 40};
  std::string bytes;
  WriteTold(told, bytes);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    std::string_view left = std::string_view(bytes).substr(0, size);
    ToldRecords read;
    const Status status = ReadTold(2, 2, left, read);
    if (size < bytes.size()) {
      EXPECT_THAT(status, StatusIs(StatusCode::kInternal, HasSubstr("host 2")));
      continue;
    }
    ASSERT_OK(status);
    EXPECT_EQ(left, "");
    EXPECT_EQ(read.epoch, 3u);
    EXPECT_EQ(read.unit, 300u);
    EXPECT_TRUE(read.ends_unit);
    EXPECT_FALSE(read.failed);
    EXPECT_EQ(read.sizes, told.sizes);
    ASSERT_EQ(read.runs.size(), 2u);
    EXPECT_EQ(read.runs[0].records, 2u);
  }
  // A host that is none.
  std::string_view whole = bytes;
  ToldRecords read;
  EXPECT_THAT(ReadTold(0, 1, whole, read),
              StatusIs(StatusCode::kInternal, HasSubstr("host 0")));
}

}  // namespace
}  // namespace penstock::testing
