// What a conversion holds, weighed by the system.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "tests/support/scratch_folder.h"
#include "tools/datagen/conversion.h"

namespace penstock {
namespace {

using testing::ScratchFolder;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

class ConversionMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers hold freed memory";
  }

  // The most memory, in MiB, that a process takes that converts the corpus.
  long PeakMib(const std::string& name) {
    const pid_t child = fork();
    if (child == 0) {
      ConversionOptions options;
      options.inputs = {folder_ / name};
      options.output = folder_ / (name + ".out");
      options.name = "a";
      options.corpus.open.text_unit = TextUnit::kLine;
      options.threads = 2;
      options.quiet = true;
      _exit(ConvertCorpus(LocalFiles(), options).ok() ? 0 : 1);
    }
    int status = 0;
    rusage usage = {};
    EXPECT_EQ(wait4(child, &status, 0, &usage), child);
    EXPECT_EQ(status, 0);
    return usage.ru_maxrss >> 10;
  }

  ScratchFolder folder_;
};

TEST_F(ConversionMemoryTest, RecordsTakeNoMemoryOnceTheyAreWritten) {
  const auto lines = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += "a\n";
    return text;
  };
  folder_.Write("some.txt", lines(1 << 20));
  folder_.Write("many.txt", lines(5 << 20));
  // Twelve bytes for each of four million more would be 48 MiB.
  EXPECT_LT(PeakMib("many.txt") - PeakMib("some.txt"), 30);
}

}  // namespace
}  // namespace penstock
