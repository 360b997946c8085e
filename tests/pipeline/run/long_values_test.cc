// Samples that go from their file straight into the batch are those that are
// decoded in between.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index_build.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/row_function.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

constexpr int64_t kImageBytes = 33'000;
constexpr int64_t kMaskValues = 20'000;  // of two bytes

std::string Filled(size_t size, uint64_t seed) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>((i + 99 * seed) * 2654435761u >> 13);
  }
  return bytes;
}

uint32_t TokensOf(uint64_t record) {
  return static_cast<uint32_t>(1 + record % 5);
}

// Two long features around short ones; every third record has no mask, and some
// have what stands in no batch.
std::string RecordOf(uint64_t record) {
  ExampleWriter writer;
  writer.SetInts("id", std::vector<int64_t>{static_cast<int64_t>(record)});
  writer.SetBytes("image", Filled(kImageBytes, record));
  if (record % 3 != 0) {
    writer.SetBytes("mask", Filled(2 * kMaskValues, record + 1000));
  }
  writer.SetInts("tokens", std::vector<int64_t>(TokensOf(record), 7));
  if (record % 4 == 0) writer.SetBytes("unwanted", Filled(100, record));
  if (record % 7 == 0) writer.SetBytes("unwanted", Filled(80'000, record));
  std::string bytes;
  writer.Finish(bytes);
  return bytes;
}

class LongValuesRunTest : public ::testing::Test {
 protected:
  void Write(uint64_t records) {
    std::vector<std::string> some;
    LengthColumn tokens = {"tokens", {}};
    for (uint64_t i = 0; i < records; ++i) {
      some.push_back(RecordOf(i));
      tokens.lengths.push_back(TokensOf(i));
    }
    WriteRecords(some, {tokens});
  }
  void WriteRecords(const std::vector<std::string>& records,
                    std::vector<LengthColumn> columns = {}) {
    path_ = folder_ / "data.tfrecord";
    ASSERT_OK_AND_ASSIGN(const auto writer,
                         CreateTfRecord(LocalFiles(), path_));
    for (const std::string& record : records) {
      ASSERT_OK(writer->Append(record));
    }
    ASSERT_OK(writer->Finish());
    ASSERT_OK_AND_ASSIGN(const auto built,
                         BuildRecordIndex(LocalFiles(), path_));
    ASSERT_OK_AND_ASSIGN(const auto index,
                         built.WithColumns(std::move(columns)));
    ASSERT_OK(index.Save(LocalFiles(), path_));
  }
  static std::vector<Feature> Samples() {
    return {
        {.name = "id", .length = 1},
        {.name = "image", .type = FeatureType::kBytes, .shape = {kImageBytes}},
        {.name = "mask",
         .type = FeatureType::kBytes,
         .as = ElementType::kInt16,
         .optional = true,
         .shape = {100, kMaskValues / 100},
         .pad_value = 5}};
  }
  Dataset Parse() const {
    std::vector<Feature> features = Samples();
    features.push_back({.name = "tokens", .pad_side = Side::kLeft});
    return Dataset::TfRecords(path_).Parse(features);
  }
  // A function that does nothing, but may look at every value.
  static Dataset Looked(const Dataset& dataset) {
    return dataset.Map({.name = "look", .keeps_lengths = true},
                       [](const RowChunk&) { return OkStatus(); });
  }
  // Of a pipeline that can take values straight, and of one that cannot.
  static void ExpectSame(const Dataset& straight, const Dataset& looked,
                         const RunOptions& options = {}) {
    ASSERT_OK_AND_ASSIGN(const auto one, RunAll(straight, options));
    ASSERT_OK_AND_ASSIGN(const auto two, RunAll(looked, options));
    ASSERT_GT(one.size(), 0u);
    ASSERT_EQ(one.size(), two.size());
    for (size_t b = 0; b < one.size(); ++b) {
      EXPECT_EQ(one[b].row_records, two[b].row_records);
      EXPECT_TRUE(one[b].tensors == two[b].tensors) << "batch " << b;
    }
  }

  ScratchFolder folder_;
  std::string path_;
};

TEST_F(LongValuesRunTest, BatchesAreThoseOfRowsThatAreDecoded) {
  Write(60);
  const auto arrange = [](const Dataset& rows) {
    return rows.Shuffle({.seed = 3})
        .Repeat({.epochs = 2})
        .Pad({.by = "tokens", .multiple_of = 5, .max_length = 5})
        .Batch({.size = 7});
  };
  const Dataset straight = arrange(Parse());
  const Dataset looked = arrange(Looked(Parse()));
  for (const int threads : {1, 3}) {
    ExpectSame(straight, looked, {.threads = threads});
    ExpectSame(straight, looked, {.shards = 3, .hosts = 2, .threads = threads});
  }
}

// Fewer and more of them than are taken at once.
TEST_F(LongValuesRunTest, AnyNumberOfRowsMayBeInABatch) {
  Write(40);
  for (const int64_t size : {1, 8, 9, 17, 40}) {
    const auto arrange = [&](const Dataset& rows) {
      return rows.Pad({.by = "tokens", .multiple_of = 5, .max_length = 5})
          .Batch({.size = size});
    };
    ExpectSame(arrange(Parse()), arrange(Looked(Parse())));
  }
}

TEST_F(LongValuesRunTest, SeveralDatasetsAreMixed) {
  Write(20);
  const auto arrange = [&](const Dataset& rows) {
    return Dataset::Mix({{.dataset = rows.Shuffle({.seed = 1})},
                         {.dataset = rows.Shuffle({.seed = 2}), .weight = 2}})
        .Pad({.by = "tokens", .multiple_of = 5, .max_length = 5})
        .Batch({.size = 7});
  };
  ExpectSame(arrange(Parse()), arrange(Looked(Parse())));
}

class LongValuesDamageTest : public LongValuesRunTest {
 protected:
  static Status EndOf(const Dataset& rows, CompileOptions options = {}) {
    options.threads = 1;
    auto pipeline = Compile(rows.Batch({.size = 1}), {}, options);
    if (!pipeline.ok()) return pipeline.status();
    for (;;) {
      PENSTOCK_ASSIGN_OR_RETURN(const auto batch, pipeline->Next());
      if (!batch) return OkStatus();
    }
  }
  void ExpectEndsAlike(StatusCode code, const CompileOptions& options = {}) {
    const Dataset rows = Dataset::TfRecords(path_).Parse(Samples());
    const Status straight = EndOf(rows, options);
    const Status looked = EndOf(Looked(rows), options);
    EXPECT_EQ(straight.code(), code) << straight;
    EXPECT_EQ(straight.ToString(), looked.ToString());
  }
};

// Every byte of a record's framing and of what is no value, some of the values.
TEST_F(LongValuesDamageTest, DamageIsNamedAsItIsOfRowsThatAreDecoded) {
  Write(3);
  const std::string good = folder_.Read("data.tfrecord");
  const auto time = std::filesystem::last_write_time(path_);
  const size_t begin = RecordOf(0).size() + 16;
  const size_t end = begin + RecordOf(1).size() + 16;
  size_t cases = 0;
  for (size_t byte = begin; byte < end; ++byte) {
    const bool near_edge = byte < begin + 60 || byte + 60 > end;
    if (!near_edge && byte % 1499 != 0) continue;
    if (++cases % kCaseStride != 0) continue;
    std::string bad = good;
    bad[byte] ^= 16;
    folder_.Write("data.tfrecord", bad);
    std::filesystem::last_write_time(path_, time);
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, byte);
    ExpectEndsAlike(StatusCode::kDataLoss);
  }
}

// What is wrong with records whose checksums are right.
TEST_F(LongValuesDamageTest, OddRecordsAreRefusedAsRowsThatAreDecoded) {
  const auto with = [](const auto& change) {
    ExampleWriter writer;
    const int64_t id = 1;
    writer.SetInts("id", std::span(&id, 1));
    writer.SetBytes("image", Filled(kImageBytes, 1));
    writer.SetBytes("mask", Filled(2 * kMaskValues, 2));
    writer.SetInts("tokens", std::vector<int64_t>{1, 2});
    change(writer);
    std::string record;
    writer.Finish(record);
    return record;
  };
  const auto nothing = [](ExampleWriter&) {};
  const auto try_record = [&](StatusCode code, const std::string& record) {
    WriteRecords({with(nothing), record, with(nothing)});
    ExpectEndsAlike(code);
  };
  const std::string good = with(nothing);
  try_record(StatusCode::kOk, good);
  const StatusCode invalid = StatusCode::kInvalidArgument;
  try_record(invalid, with([](ExampleWriter& writer) {
               writer.SetBytes("image", Filled(kImageBytes - 1, 1));
             }));
  try_record(invalid, with([](ExampleWriter& writer) {
               writer.SetFloats("image", std::vector<float>(9000, 1));
             }));
  try_record(invalid, with([](ExampleWriter& writer) {
               const std::string value = Filled(kImageBytes, 1);
               const std::vector<std::string_view> twice = {value, value};
               writer.SetBytes("image", twice);
             }));
  try_record(invalid, with([](ExampleWriter& writer) {
               writer.SetInts("id", std::vector<int64_t>{1, 2});
             }));
  try_record(invalid, with([](ExampleWriter& writer) {
               writer.SetInts("id", std::vector<int64_t>{int64_t{1} << 40});
             }));
  // The same features again: the last of each counts.
  try_record(StatusCode::kDataLoss, good + good.substr(0, good.size() - 1));
  try_record(StatusCode::kOk, good + good);
  try_record(StatusCode::kDataLoss, good.substr(0, good.size() - 1));
  try_record(StatusCode::kDataLoss, good + "#");
  try_record(invalid, "");
}

TEST_F(LongValuesDamageTest, ALongRecordOverTheLimitIsRefused) {
  ExampleWriter writer;
  const int64_t id = 1;
  writer.SetInts("id", std::span(&id, 1));
  writer.SetBytes("image", Filled(kImageBytes, 1));
  writer.SetBytes("mask", Filled(2 * kMaskValues, 2));
  writer.SetInts("tokens", std::vector<int64_t>{1, 2});
  writer.SetBytes("unwanted", Filled(2 << 20, 2));
  std::string record;
  writer.Finish(record);
  WriteRecords({record});
  ExpectEndsAlike(StatusCode::kOk);
  ExpectEndsAlike(StatusCode::kResourceExhausted,
                  {.max_record_bytes = 2 << 20});
}

}  // namespace
}  // namespace penstock::testing
