#include "tools/datagen/index_spool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "formats/files/posix_files.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using testing::Call;
using testing::FaultyCalls;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;
using testing::StatusIs;

class IndexSpoolTest : public ::testing::Test {
 protected:
  IndexSpool Filled(uint32_t shards, uint64_t records, uint64_t buffer_bytes) {
    IndexSpool spool(LocalFiles(), folder_ / "spool", shards, buffer_bytes);
    for (uint64_t i = 0; i < records; ++i) {
      EXPECT_OK(spool.Add(i << 33, static_cast<uint32_t>(i * 7)));
    }
    return spool;
  }

  ScratchFolder folder_;
};

TEST_F(IndexSpoolTest, EachShardGetsItsRecordsInOrderHoweverFewAreHeld) {
  for (const uint32_t shards : {1u, 2u, 7u}) {
    // Runs of 64 records: none, one less and more than a block, and several.
    for (const uint64_t records : {0u, 1u, 63u, 64u, 65u, 448u, 449u, 5000u}) {
      const IndexSpool spool = Filled(shards, records, 1);
      for (uint32_t s = 0; s < shards; ++s) {
        std::vector<uint64_t> expected_offsets;
        std::vector<uint32_t> expected_lengths;
        for (uint64_t i = s; i < records; i += shards) {
          expected_offsets.push_back(i << 33);
          expected_lengths.push_back(static_cast<uint32_t>(i * 7));
        }
        std::vector<uint64_t> offsets;
        std::vector<uint32_t> lengths;
        ASSERT_OK(spool.EachOffset(s, [&](std::span<const uint64_t> some) {
          offsets.insert(offsets.end(), some.begin(), some.end());
          return OkStatus();
        }));
        ASSERT_OK(spool.EachLength(s, [&](std::span<const uint32_t> some) {
          lengths.insert(lengths.end(), some.begin(), some.end());
          return OkStatus();
        }));
        EXPECT_EQ(spool.records_of(s), expected_offsets.size());
        EXPECT_EQ(offsets, expected_offsets) << shards << " " << records;
        EXPECT_EQ(lengths, expected_lengths);
      }
    }
  }
}

TEST_F(IndexSpoolTest, ItsFileHasNoNameSoThatAKillLeavesNothing) {
  const IndexSpool spool = Filled(2, 1000, 1);
  ASSERT_OK_AND_ASSIGN(const auto names, LocalFiles().List(folder_.path()));
  EXPECT_THAT(names, IsEmpty());
}

TEST_F(IndexSpoolTest, AFullDiskIsAnError) {
  FaultyCalls calls;
  PosixFiles files(calls);
  IndexSpool spool(files, folder_ / "spool", 1, 1);
  calls.FailAt(Call::kWrite, 1, ENOSPC);
  Status status;
  for (int i = 0; i < 200 && status.ok(); ++i) status = spool.Add(i, i);
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted,
                               HasSubstr("No space left")));
}

}  // namespace
}  // namespace penstock
