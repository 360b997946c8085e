// Calls that fail under the readers of text and JSON Lines, and under the
// manifest: a clean error or the whole, never an early end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "formats/datasets/manifest.h"
#include "formats/files/posix_files.h"
#include "formats/open.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::HasSubstr;

struct WrittenCorpus {
  std::string path;
  OpenOptions options;
};

// Some of each unit, each large enough for several reads.
class TextFaultTest : public ::testing::Test {
 protected:
  TextFaultTest() {
    std::string text;
    std::string json;
    for (int i = 0; i < 300; ++i) {
      text += fmt::format("line {}\r\nmore\n\n", i);
      json += fmt::format("{{\"text\": \"document \\u00e9 {}\"}}\n", i);
    }
    for (const TextUnit unit :
         {TextUnit::kLine, TextUnit::kParagraph, TextUnit::kFile}) {
      corpora_.push_back({folder_.Write("a.txt", text), {.text_unit = unit}});
      corpora_.push_back(
          {folder_.Write("a.txt.gz", Gzip(text)), {.text_unit = unit}});
    }
    corpora_.push_back({folder_.Write("a.jsonl", json), {}});
    corpora_.push_back({folder_.Write("a.jsonl.gz", Gzip(json)), {}});
  }

  ScratchFolder folder_;
  std::vector<WrittenCorpus> corpora_;
};

TEST_F(TextFaultTest, InterruptedAndShortCallsAreInvisible) {
  for (const WrittenCorpus& corpus : corpora_) {
    const ReadOut whole =
        ReadAll(OpenRecords(LocalFiles(), corpus.path, corpus.options));
    ASSERT_OK(whole.status);
    ASSERT_FALSE(whole.records.empty());
    FaultyCalls calls;
    calls.InterruptEveryOther();
    calls.LimitTransfers(7);
    PosixFiles files(calls);
    const ReadOut out =
        ReadAll(OpenRecords(files, corpus.path, corpus.options));
    EXPECT_OK(out.status);
    EXPECT_EQ(out.records, whole.records);
    EXPECT_EQ(out.places, whole.places);
  }
}

TEST_F(TextFaultTest, ACallThatFailsAnywhereIsNeverAnEnd) {
  for (const WrittenCorpus& corpus : corpora_) {
    const ReadOut whole =
        ReadAll(OpenRecords(LocalFiles(), corpus.path, corpus.options));
    for (const Call call : {Call::kOpen, Call::kRead, Call::kStat}) {
      for (uint64_t n = 0;; ++n) {
        FaultyCalls calls;
        calls.LimitTransfers(100);
        calls.FailAt(call, n, EIO);
        PosixFiles files(calls);
        const ReadOut out =
            ReadAll(OpenRecords(files, corpus.path, corpus.options));
        if (calls.count(call) <= n) {
          EXPECT_OK(out.status);
          EXPECT_EQ(out.records, whole.records);
          EXPECT_GT(n, 0u);
          break;
        }
        ASSERT_THAT(out.status,
                    StatusIs(StatusCode::kDataLoss, HasSubstr(corpus.path)));
        ASSERT_LE(out.records.size(), whole.records.size());
        ASSERT_TRUE(std::equal(out.records.begin(), out.records.end(),
                               whole.records.begin()));
      }
    }
  }
}

// Cut anywhere, a gzip file is an error after a part of its records.
TEST_F(TextFaultTest, ACutGzipFileIsNeverWhole) {
  for (const WrittenCorpus& corpus : corpora_) {
    if (!corpus.path.ends_with(".gz")) continue;
    const std::string name = corpus.path.substr(folder_.path().size() + 1);
    const std::string bytes = folder_.Read(name);
    for (size_t size = 1; size < bytes.size(); size += 13) {
      const std::string path =
          folder_.Write("cut-" + name, bytes.substr(0, size));
      const ReadOut out =
          ReadAll(OpenRecords(LocalFiles(), path, corpus.options));
      ASSERT_THAT(out.status, StatusIs(StatusCode::kDataLoss, HasSubstr(path)))
          << size;
    }
  }
}

TEST_F(TextFaultTest, AManifestThatFailsToSaveLeavesTheOldOne) {
  Manifest old;
  old.dataset = "old";
  Manifest manifest;
  manifest.dataset = "new";
  const std::string path = folder_ / "manifest.json";
  for (const Call call :
       {Call::kOpen, Call::kWrite, Call::kSync, Call::kRename}) {
    ASSERT_OK(old.Save(LocalFiles(), path));
    FaultyCalls calls;
    calls.FailAt(call, 0, call == Call::kWrite ? ENOSPC : EIO);
    PosixFiles files(calls);
    EXPECT_FALSE(manifest.Save(files, path).ok());
    ASSERT_OK_AND_ASSIGN(const Manifest loaded,
                         Manifest::Load(LocalFiles(), path));
    EXPECT_EQ(loaded.dataset, "old");
  }
}

}  // namespace
}  // namespace penstock::testing
