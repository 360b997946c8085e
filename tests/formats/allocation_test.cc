// Memory that ends at each allocation in turn: an error or all records, never
// an exception, a wrong record, a leak or half a file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/example_writer.h"
#include "formats/index/record_files.h"
#include "formats/index/record_index_build.h"
#include "formats/open.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/support/replaced_heap.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace {

thread_local int64_t allocations_left = -1;  // -1: no end
thread_local bool keeps_failing = false;
thread_local int64_t live_allocations = 0;

}  // namespace

namespace penstock::testing {

void* TakeMemory(size_t size_bytes, size_t alignment) noexcept {
  if (allocations_left == 0) {
    if (!keeps_failing) allocations_left = -1;
    return nullptr;
  }
  if (allocations_left > 0) --allocations_left;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size_bytes) != 0) return nullptr;
  ++live_allocations;
  return memory;
}

void GiveBackMemory(void* memory) noexcept {
  if (memory != nullptr) --live_allocations;
  std::free(memory);
}

namespace {

using ::testing::HasSubstr;

// Until a run needs no more than the allocations it is given. `run` returns
// what it has to say without taking memory of its own.
template <typename Run, typename Check>
void EndMemoryEverywhere(Run run, Check check) {
  for (const bool for_ever : {false, true}) {
    (void)run();  // makes what is made once
    for (int64_t allowed = 0;; ++allowed) {
      ASSERT_LT(allowed, 100'000);
      const int64_t before = live_allocations;
      bool ended = false;
      {
        keeps_failing = for_ever;
        allocations_left = allowed;
        const auto result = run();
        ended = allocations_left <= 0;
        allocations_left = -1;
        check(result, ended);
      }
      ASSERT_EQ(live_allocations, before) << "after " << allowed;
      if (!ended) break;
    }
  }
}

struct Outcome {
  Status status;
  uint64_t records = 0;
  uint64_t hash = 0;  // of all records so far
};

Outcome ReadCounting(FileSystem& files, const std::string& path) {
  Outcome out;
  const auto reader = OpenRecords(files, path);
  out.status = reader.status();
  while (reader.ok()) {
    const auto block = (*reader)->NextBlock();
    out.status = block.status();
    if (!block.ok() || !*block) break;
    for (const std::string_view record : (*block)->records) {
      ++out.records;
      for (const char c : record) out.hash = out.hash * 31 + c;
      out.hash = out.hash * 31 + 257;
    }
  }
  return out;
}

std::vector<std::pair<std::string, std::string>> Corpora() {
  const std::string text = "one\n\ntwo\n\n" + std::string(3000, 'x') + "\n";
  std::string jsonl;
  for (const char* word : {"one", "two", "three"}) {
    jsonl += "{\"text\": \"a longer text than a short string, " +
             std::string(word) + "\"}\n";
  }
  const std::string csv = "id,text\n1,one\n2,\"two\nlines\"\n3,three\n";
  const std::vector<PackedFile> entries = {
      {"d/a.txt", text},
      {"d/b.jsonl", jsonl},
      {"a name longer than fifteen", "whole"},
      {"e.csv.gz", Gzip(csv)}};
  return {{"f.txt", text},
          {"f.txt.gz", Gzip(text)},
          {"f.txt.zst", Zstd(text)},
          {"f.jsonl", jsonl},
          {"f.csv", csv},
          {"f.tar", Tar(entries)},
          {"f.tar.gz", Gzip(Tar(entries))},
          {"f.tar.zst", Zstd(Tar(entries))},
          {"f.zip", Zip(entries)},
          {"f.7z", SevenZip(entries)}};
}

TEST(AllocationTest, ReadersSayThatMemoryEndsAndGiveNoWrongRecord) {
  for (const auto& [name, bytes] : Corpora()) {
    SCOPED_TRACE(name);
    MemoryFiles files(bytes);
    const std::string path = "folder/" + name;
    const Outcome whole = ReadCounting(files, path);
    ASSERT_OK(whole.status);
    ASSERT_GT(whole.records, 1);
    int64_t failures = 0;
    EndMemoryEverywhere(
        [&] { return ReadCounting(files, path); },
        [&](const Outcome& out, bool ended) {
          if (out.status.ok()) {
            ASSERT_EQ(out.records, whole.records);
            ASSERT_EQ(out.hash, whole.hash);
            return;
          }
          ++failures;
          ASSERT_TRUE(ended) << out.status;
          ASSERT_EQ(out.status.code(), StatusCode::kResourceExhausted)
              << out.status;
          ASSERT_LE(out.records, whole.records);
        });
    EXPECT_GT(failures, 5);
  }
}

TEST(AllocationTest, WritersSayThatMemoryEndsAndLeaveAllOfAFileOrNone) {
  const ScratchFolder folder;
  const std::string path = folder / "a.tfrecord";
  const std::string record(5000, 'r');
  const auto at_once = [](const std::function<void()>& task) { task(); };
  const std::vector<TfRecordWriteOptions> all = {
      {.compression = Compression::kNone},
      {.compression = Compression::kZlib},
      {.compression = Compression::kGzip},
      {.compression = Compression::kGzip,
       .gzip = {.member_bytes = 20'000, .run_task = at_once}}};
  for (const TfRecordWriteOptions& options : all) {
    const auto write = [&] {
      const auto writer = CreateTfRecord(LocalFiles(), path, options);
      if (!writer.ok()) return writer.status();
      Status status;
      for (int i = 0; i < 20 && status.ok(); ++i) {
        status = (*writer)->Append(record);
      }
      const Status finished = (*writer)->Finish();
      if (status.ok()) return finished;
      // Nothing may be made of a writer that failed.
      return finished == status ? status : UnknownError("other words");
    };
    ASSERT_OK(write());
    const std::string expected = folder.Read("a.tfrecord");
    int64_t failures = 0;
    int64_t named = 0;
    EndMemoryEverywhere(write, [&](const Status& status, bool ended) {
      const auto names = LocalFiles().List(folder.path());
      ASSERT_OK(names);
      if (!status.ok()) {
        ++failures;
        ASSERT_TRUE(ended) << status;
        ASSERT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
        named += status.message() == path + ": not enough memory to write it";
      }
      if (names->empty()) {
        ASSERT_FALSE(status.ok());
        return;
      }
      // Finish() may fail behind the rename: then all of the file is there.
      ASSERT_EQ(*names, std::vector<std::string>{"a.tfrecord"});
      ASSERT_TRUE(folder.Read("a.tfrecord") == expected);
      ASSERT_OK(LocalFiles().Remove(path));
    });
    // Only where there is no memory for words are there none.
    EXPECT_GT(failures, 10);
    EXPECT_GE(named, failures - 4);
  }
}

// An error with words, or without any where there is no memory for them.
void ExpectOutOfMemory(const Status& status, bool ended) {
  ASSERT_TRUE(ended) << status;
  ASSERT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  const std::string_view words = status.message();
  ASSERT_TRUE(words.empty() ||
              words.find("not enough memory to ") != words.npos ||
              words.find("no memory for ") != words.npos)
      << status;
}

TEST(AllocationTest, ParsersSayThatMemoryEndsAndKeepWholeRows) {
  std::vector<std::string> records(5);
  ExampleWriter writer;
  for (size_t i = 0; i < records.size(); ++i) {
    writer.SetBytes("text", std::string(100 + i, 'x'));
    writer.SetInts("label", std::vector<int64_t>(i + 1, 300));
    writer.SetInts("r/ragged_flat_values", std::vector<int64_t>(3, 7));
    writer.SetInts("r/ragged_row_lengths_0", std::vector<int64_t>{1, 2});
    writer.Finish(records[i]);
  }
  const std::vector<std::string_view> views(records.begin(), records.end());
  const auto parser =
      ExampleParser::Create({{.name = "text", .type = FeatureType::kBytes},
                             {.name = "label"},
                             {.name = "r", .ragged = true}});
  ASSERT_OK(parser);
  struct Parsed {
    Status status;
    Examples rows;
  };
  const auto parse = [&] {
    Parsed parsed;
    // The first call makes the columns, the second one lets them grow.
    for (const size_t count : {size_t{1}, views.size()}) {
      parsed.status = parser->Parse(
          std::span(views).first(count),
          [](size_t i) { return "record " + std::to_string(i); }, parsed.rows);
      if (!parsed.status.ok()) break;
    }
    return parsed;
  };
  int64_t failures = 0;
  EndMemoryEverywhere(parse, [&](const Parsed& parsed, bool ended) {
    const Examples& rows = parsed.rows;
    if (!parsed.status.ok()) {
      ++failures;
      ExpectOutOfMemory(parsed.status, ended);
    } else {
      ASSERT_EQ(rows.rows, 1 + views.size());
    }
    ASSERT_EQ(rows.columns.size(), rows.rows == 0 ? 0 : 3);
    for (size_t row = 0; row < rows.rows; ++row) {
      const size_t record = row == 0 ? 0 : row - 1;
      ASSERT_EQ(rows.columns[0].bytes_at(row), std::string(100 + record, 'x'));
      ASSERT_EQ(rows.columns[1].values_in(row), record + 1);
      ASSERT_EQ(rows.columns[2].row_steps[row + 1], 2 * (row + 1));
      ASSERT_EQ(rows.columns[2].values_in(row), 3);
    }
    for (const Column& column : rows.columns) {
      ASSERT_EQ(column.row_offsets.size(), rows.rows + 1);
      ASSERT_EQ(column.values(), column.row_offsets.back());
    }
  });
  EXPECT_GT(failures, 5);
}

TEST(AllocationTest, IndexesSayThatMemoryEndsAndGiveNoWrongRecord) {
  const ScratchFolder folder;
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip}) {
    const std::string path = folder / CompressionName(compression);
    auto writer = CreateTfRecord(
        LocalFiles(), path,
        {.compression = compression, .gzip = {.member_bytes = 1000}});
    ASSERT_OK(writer);
    for (int i = 0; i < 20; ++i) {
      ASSERT_OK(
          (*writer)->Append(std::string(300, static_cast<char>('a' + i))));
    }
    ASSERT_OK((*writer)->Finish());
    const auto gather = [&]() -> Status {
      const auto index =
          BuildRecordIndex(LocalFiles(), path, {.compression = compression});
      if (!index.ok()) return index.status();
      const Status saved = index->Save(LocalFiles(), path);
      if (!saved.ok()) return saved;
      // What the caller makes is no matter of ours.
      const int64_t left = std::exchange(allocations_left, -1);
      std::vector<std::string> paths = {path};
      const std::vector<uint64_t> ids = {17, 3, 4};
      allocations_left = left;
      const auto files = RecordFiles::Open(LocalFiles(), std::move(paths));
      if (!files.ok()) return files.status();
      GatheredRecords out;
      const Status status = (*files)->Gather(ids, out);
      if (!status.ok()) {
        return out.records.empty() ? status : UnknownError("records");
      }
      for (size_t i = 0; i < ids.size(); ++i) {
        for (const char c : out.records[i]) {
          if (c != static_cast<char>('a' + ids[i])) {
            return UnknownError("a wrong record");
          }
        }
      }
      return status;
    };
    ASSERT_OK(gather());
    int64_t failures = 0;
    EndMemoryEverywhere(gather, [&](const Status& status, bool ended) {
      if (status.ok()) return;
      ++failures;
      ExpectOutOfMemory(status, ended);
      const auto names = LocalFiles().List(folder.path());
      ASSERT_OK(names);
      for (const std::string& name : *names) {
        ASSERT_FALSE(name.ends_with(".tmp")) << name;
      }
    });
    EXPECT_GT(failures, 20);
  }
}

}  // namespace
}  // namespace penstock::testing
