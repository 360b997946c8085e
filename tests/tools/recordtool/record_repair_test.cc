#include "tools/recordtool/record_repair.h"

#include <gtest/gtest.h>

namespace penstock {
namespace {

constexpr uint64_t kGiB = 1 << 30;

TEST(RecordRepairTest, NoRecordIsTooLongForTheFileItLiesIn) {
  EXPECT_EQ(LargestRecordIn(3 * kGiB, Compression::kNone), 3 * kGiB);
  // What zlib's deflate makes of zeros, 1030 to 1, stays below.
  EXPECT_GE(LargestRecordIn(kGiB, Compression::kGzip), 1030 * kGiB);
  EXPECT_GE(LargestRecordIn(kGiB, Compression::kZlib), 1030 * kGiB);
  // What OpenTfRecord() takes for a limit.
  EXPECT_EQ(LargestRecordIn(UINT64_MAX, Compression::kNone), kGiB << 32);
  EXPECT_EQ(LargestRecordIn(UINT64_MAX, Compression::kGzip), kGiB << 32);
}

}  // namespace
}  // namespace penstock
