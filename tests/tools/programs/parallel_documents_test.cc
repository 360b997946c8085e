#include "tools/programs/parallel_documents.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tools/programs/counted_files.h"

namespace penstock {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;
using testing::StatusIs;

struct Seen {
  std::vector<std::string> events;
  std::vector<uint64_t> bytes_done;
  Status status;
  InputLosses losses;
};

class ParallelDocumentsTest : public ::testing::Test {
 protected:
  InputFiles Find() {
    auto input = FindInputFiles(LocalFiles(), {folder_ / "in"}, {});
    EXPECT_OK(input);
    return *std::move(input);
  }

  // Files from none to several chunks, some with a field that comes twice.
  void WriteFiles(int count) {
    EXPECT_OK(LocalFiles().CreateFolders(folder_ / "in"));
    for (int f = 0; f < count; ++f) {
      std::string text;
      for (int i = 0; i < f * f * 401 % 3000; ++i) {
        text += fmt::format("{{{}\"text\": \"{} {} {}\"}}\n",
                            i % 97 == 5 ? "\"text\": \"\", " : "", f, i,
                            std::string((i * f) % 1500, 'x'));
      }
      folder_.Write(fmt::format("in/{:03}.jsonl", f), text);
    }
  }

  Seen Read(int threads, ReadAheadLimits limits = {}, Corpus corpus = {},
            size_t most_chunks = SIZE_MAX) {
    Seen seen;
    const InputFiles input = Find();
    const auto tasks = TaskQueue::Create(threads);
    EXPECT_OK(tasks);
    ParallelDocuments documents(LocalFiles(), input, std::move(corpus), **tasks,
                                limits);
    while (most_chunks-- > 0) {
      const StatusOr<DocumentChunk> chunk = documents.Next();
      seen.status = chunk.status();
      if (!chunk.ok() || chunk->size() == 0) break;
      for (size_t d = 0; d < chunk->size(); ++d) {
        seen.events.push_back(
            fmt::format("{} {} {}", input.paths[chunk->origins[d].file],
                        chunk->origins[d].number, chunk->document(d)));
      }
      seen.bytes_done.push_back(chunk->input_bytes_done);
    }
    seen.losses = documents.losses();
    return seen;
  }

  ScratchFolder folder_;
};

TEST_F(ParallelDocumentsTest, AnyThreadsAndLimitsGiveTheDocumentsInOrder) {
  WriteFiles(23);
  const Seen one = Read(1);
  EXPECT_OK(one.status);
  EXPECT_GT(one.events.size(), 20'000u);
  EXPECT_EQ(one.losses.empty_files, 1u);
  EXPECT_GT(one.losses.repeated_fields.count, 100u);
  uint64_t cases = 0;
  for (const int threads : {2, 3, 8}) {
    for (const ReadAheadLimits limits :
         {ReadAheadLimits{}, ReadAheadLimits{.bytes = 0},
          ReadAheadLimits{.bytes = 1, .together_bytes = 1},
          ReadAheadLimits{.bytes = 3 << 20, .together_bytes = 1 << 20}}) {
      if (cases++ % testing::kCaseStride != 0) continue;
      const Seen many = Read(threads, limits);
      EXPECT_OK(many.status);
      EXPECT_TRUE(many.events == one.events) << threads;
      EXPECT_EQ(many.losses.repeated_fields.count,
                one.losses.repeated_fields.count);
      EXPECT_EQ(many.losses.repeated_fields.first,
                one.losses.repeated_fields.first);
      EXPECT_TRUE(std::ranges::is_sorted(many.bytes_done));
      EXPECT_EQ(many.losses.empty_files, 1u);
      EXPECT_EQ(many.losses.first_empty, one.losses.first_empty);
    }
  }
}

TEST_F(ParallelDocumentsTest, AnErrorComesBehindAllDocumentsBeforeItsFile) {
  WriteFiles(12);
  std::vector<std::string> before;
  for (const std::string& document : Read(1).events) {
    if (document < folder_ / "in/005") before.push_back(document);
  }
  folder_.Write("in/005.jsonl", "{\"text\": \"last\"}\n{\"txt\": 1}\n");
  folder_.Write("in/008.jsonl", "{\"txt\": 2}\n");
  for (const int threads : {2, 5}) {
    const Seen many = Read(threads, {.together_bytes = 1});
    EXPECT_THAT(many.status, StatusIs(StatusCode::kInvalidArgument,
                                      HasSubstr("005.jsonl:2")));
    EXPECT_TRUE(many.events == before);
  }
}

TEST_F(ParallelDocumentsTest, WhereDamageMayBeSkippedFilesAreReadInTurn) {
  WriteFiles(6);
  folder_.Write("in/001.jsonl", "{\n");
  folder_.Write("in/004.jsonl", "{\"text\": \"a\"}\n[\n");
  std::vector<std::string> told;
  Corpus corpus;
  corpus.open.recovery.on_corruption = OnCorruption::kResync;
  corpus.open.recovery.on_skipped = [](const SkippedRegion&) {};
  corpus.bad_input.on_left_out = [&](BadPart, const Status& why) {
    told.push_back(std::string(why.message()));
  };
  const Seen seen = Read(4, {.together_bytes = 1}, std::move(corpus));
  EXPECT_OK(seen.status);
  EXPECT_EQ(seen.losses.places, 2u);
  ASSERT_EQ(told.size(), 2u);
  EXPECT_THAT(told[0], HasSubstr("001.jsonl:1"));
  EXPECT_THAT(told[1], HasSubstr("004.jsonl:2"));
}

// Three files are read beside a long one, whose chunks keep them waiting.
TEST_F(ParallelDocumentsTest, NoMoreIsReadAheadThanTheLimit) {
  constexpr uint64_t kFileBytes = 8 << 20;
  constexpr uint64_t kChunk = 2 << 20;  // with what its reader has buffered
  EXPECT_OK(LocalFiles().CreateFolders(folder_ / "in"));
  std::string text;
  while (text.size() < kFileBytes) text += std::string(9999, 'x') + "\n";
  for (int f = 0; f < 6; ++f) {
    folder_.Write(fmt::format("in/{}.txt", f), f == 0 ? text + text : text);
  }
  const InputFiles input = Find();
  CountedFiles files(LocalFiles(), input.streams);
  Corpus corpus;
  corpus.open.text_unit = TextUnit::kLine;
  const auto tasks = TaskQueue::Create(4);
  ASSERT_OK(tasks);
  constexpr uint64_t kLimit = 3 << 20;
  {
    ParallelDocuments documents(files, input, corpus, **tasks,
                                {.bytes = kLimit, .together_bytes = 1});
    uint64_t given = 0;
    while (given < kFileBytes) {
      ASSERT_OK_AND_ASSIGN(const DocumentChunk chunk, documents.Next());
      given += chunk.text.size();
    }
    while (files.read_bytes() <= kFileBytes + kLimit) {
      std::this_thread::yield();  // they read on until they reach it
    }
  }
  // Each of three may pass the limit by the chunk that it is at.
  EXPECT_LT(files.read_bytes(), kFileBytes + kLimit + 5 * kChunk);
}

TEST_F(ParallelDocumentsTest, ItMayBeLeftAtAnyChunk) {
  WriteFiles(12);
  for (size_t chunks = 0; chunks < 8; ++chunks) {
    const Seen seen = Read(4, {.together_bytes = 1}, {}, chunks);
    EXPECT_OK(seen.status);
  }
}

}  // namespace
}  // namespace penstock
