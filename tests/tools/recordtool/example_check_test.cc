#include "tools/recordtool/example_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>

#include "formats/files/posix_files.h"
#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using testing::Call;
using testing::FaultyCalls;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScratchFolder;

TEST(ExampleCheckTest, AFileThatCannotBeReadAgainIsToldOf) {
  ScratchFolder folder;
  std::string bytes;
  AppendTfRecord(std::string(100, 'n'), bytes);
  const std::string bad = folder.Write("bad.tfrecord", bytes);
  const std::string other = folder.Write("other.tfrecord", bytes);
  FaultyCalls calls;
  PosixFiles files(calls);
  Progress progress("", 0, /*quiet=*/true);
  // Each file is read twice: what it is wrapped in is told by its first bytes.
  calls.FailAt(Call::kRead, 1, EIO);
  ASSERT_OK_AND_ASSIGN(
      const auto found,
      FindBadExamples(files, {bad, other}, std::nullopt, 1, progress));
  EXPECT_THAT(found[0].reasons, IsEmpty());
  EXPECT_THAT(found[0].status.message(),
              AllOf(HasSubstr("bad.tfrecord"), HasSubstr("Input/output")));
  EXPECT_OK(found[1].status);
  EXPECT_EQ(found[1].reasons.size(), 1u);
}

}  // namespace
}  // namespace penstock
