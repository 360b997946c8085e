// What is in a batch: values, padding, lengths, masks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "formats/example/example_writer.h"
#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct TestRow {
  std::vector<int64_t> tokens;
  std::vector<int64_t> labels = {};
};

class BatchTest : public ::testing::TestWithParam<bool> {
 protected:
  bool streamed() const { return GetParam(); }

  // One file with an index; "tokens" and "labels" are left out where empty.
  std::string Write(const std::vector<TestRow>& rows) {
    const std::string path = folder_ / "rows.tfrecord";
    auto writer = CreateTfRecord(LocalFiles(), path);
    EXPECT_OK(writer);
    LengthColumn column = {"tokens", {}};
    std::vector<uint64_t> offsets;
    for (const TestRow& row : rows) {
      ExampleWriter example;
      if (!row.tokens.empty()) example.SetInts("tokens", row.tokens);
      if (!row.labels.empty()) example.SetInts("labels", row.labels);
      std::string bytes;
      example.Finish(bytes);
      offsets.push_back((*writer)->framed_bytes());
      EXPECT_OK((*writer)->Append(bytes));
      column.lengths.push_back(static_cast<uint32_t>(row.tokens.size()));
    }
    EXPECT_OK((*writer)->Finish());
    const auto info = LocalFiles().Stat(path);
    EXPECT_OK(RecordIndex(offsets, {column}, *info).Save(LocalFiles(), path));
    return path;
  }

  // The first batch.
  StatusOr<Batch> First(const Dataset& dataset) {
    StatusOr<Pipeline> pipeline =
        Compile(dataset, {}, {.force_streamed = streamed()});
    if (!pipeline.ok()) return pipeline.status();
    contract_ = pipeline->contract();
    auto batch = pipeline->Next();
    if (!batch.ok()) return batch.status();
    EXPECT_TRUE(batch->has_value());
    counts_ = pipeline->counts();
    return **std::move(batch);
  }

  const Tensor& Find(const Batch& batch, const std::string& name) {
    for (size_t t = 0; t < contract_.tensors.size(); ++t) {
      if (contract_.tensors[t].name == name) return batch.tensors[t];
    }
    ADD_FAILURE() << "no tensor " << name;
    return batch.tensors[0];
  }

  ScratchFolder folder_;
  Contract contract_;
  PipelineCounts counts_;
};
INSTANTIATE_TEST_SUITE_P(Placements, BatchTest, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "Streamed" : "Planned";
                         });

// Vector C10 of the notes: token 7 is also the pad id. A mask that looked for 7
// would lose real tokens.
TEST_P(BatchTest, RealTokensMayEqualThePadValue) {
  const std::string path = Write({{{11, 7}}, {{7, 7, 7}}});
  ASSERT_OK_AND_ASSIGN(
      const Batch batch,
      First(Dataset::TfRecords(path)
                .Bucket({.by = "tokens", .lengths = {4}, .pad_value = 7})
                .Batch({.size = 3})));
  EXPECT_THAT(Find(batch, "tokens").shape, ElementsAre(3, 4));
  EXPECT_THAT(Find(batch, "tokens").values<int32_t>(),
              ElementsAre(11, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7));
  EXPECT_THAT(Find(batch, "tokens_lengths").values<int32_t>(),
              ElementsAre(2, 3, 0));
  EXPECT_THAT(Find(batch, "row_mask").values<float>(), ElementsAre(1, 1, 0));
  EXPECT_THAT(RowIds(batch), ElementsAre(0, 1, kNoRecord));
  EXPECT_EQ(counts_.records, 2u);
  EXPECT_EQ(counts_.pad_rows, 1u);
}

// Vector C7 of the notes, from TensorFlow's bucket_by_sequence_length_test:
// lengths 1 to 10 of ones, two rows a batch. There boundaries are 3, 7 and 11
// and a batch is as wide as its boundary less one: 2, 6 and 10.
TEST_P(BatchTest, TensorFlowsReferenceBucketsComeOut) {
  std::vector<TestRow> rows;
  for (size_t length = 1; length <= 10; ++length) {
    rows.push_back({std::vector<int64_t>(length, 1)});
  }
  const Dataset dataset = Dataset::TfRecords(Write(rows))
                              .Bucket({.by = "tokens", .lengths = {2, 6, 10}})
                              .Batch({.size = 2});
  ASSERT_OK_AND_ASSIGN(Pipeline pipeline,
                       Compile(dataset, {}, {.force_streamed = streamed()}));
  std::vector<std::vector<int64_t>> shapes;
  std::vector<std::vector<int32_t>> lengths;
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
    if (!batch) break;
    shapes.push_back(batch->tensors[0].shape);
    const auto row_lengths = batch->tensors[1].values<int32_t>();
    lengths.emplace_back(row_lengths.begin(), row_lengths.end());
    if (shapes.size() == 1) {
      EXPECT_THAT(batch->tensors[0].values<int32_t>(), ElementsAre(1, 0, 1, 1));
    }
  }
  EXPECT_THAT(shapes, ElementsAre(ElementsAre(2, 2), ElementsAre(2, 6),
                                  ElementsAre(2, 6), ElementsAre(2, 10),
                                  ElementsAre(2, 10)));
  EXPECT_THAT(lengths, ElementsAre(ElementsAre(1, 2), ElementsAre(3, 4),
                                   ElementsAre(5, 6), ElementsAre(7, 8),
                                   ElementsAre(9, 10)));
}

TEST_P(BatchTest, ASecondVaryingFeatureHasTheSameLengthAndItsOwnLengths) {
  const std::string path = Write({{{1, 2, 3}, {9}}, {{4}, {8, 7, 6, 5}}});
  ASSERT_OK_AND_ASSIGN(
      const Batch batch,
      First(Dataset::TfRecords(path)
                .Parse({{.name = "labels", .as = ElementType::kInt64},
                        {.name = "tokens"}})
                .Pad({.by = "tokens",
                      .multiple_of = 4,
                      .max_length = 8,
                      .pad_value = -1})
                .Batch({.size = 2})));
  EXPECT_THAT(Find(batch, "tokens").values<int32_t>(),
              ElementsAre(1, 2, 3, -1, 4, -1, -1, -1));
  // pad_value is that of the feature that arranges.
  EXPECT_THAT(Find(batch, "labels").values<int64_t>(),
              ElementsAre(9, 0, 0, 0, 8, 7, 6, 5));
  EXPECT_THAT(Find(batch, "labels_lengths").values<int32_t>(),
              ElementsAre(1, 4));
}

TEST_P(BatchTest, ASecondFeatureLongerThanTheBatchIsAnErrorOrCut) {
  const std::string path = Write({{{1}, {9, 8, 7}}});
  const auto dataset = [&](TooLong too_long) {
    return Dataset::TfRecords(path)
        .Parse({{.name = "labels"}, {.name = "tokens"}})
        .Bucket({.by = "tokens", .lengths = {2}, .too_long = too_long})
        .Batch({.size = 1});
  };
  EXPECT_THAT(First(dataset(TooLong::kError)),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("rows.tfrecord"), HasSubstr("record 0"),
                             HasSubstr("\"labels\" has more than the 2 values"),
                             HasSubstr("length"))));
  ASSERT_OK_AND_ASSIGN(const Batch batch, First(dataset(TooLong::kTruncate)));
  EXPECT_THAT(Find(batch, "labels").values<int32_t>(), ElementsAre(9, 8));
  EXPECT_THAT(Find(batch, "labels_lengths").values<int32_t>(), ElementsAre(2));
}

TEST_P(BatchTest, ValuesThatDoNotFitInt32NameTheirRecord) {
  const auto dataset = [&](int64_t value, ElementType as) {
    return Dataset::TfRecords(Write({{{1}}, {{5, value}}}))
        .Parse({{.name = "tokens", .as = as}})
        .Bucket({.by = "tokens", .lengths = {2}})
        .Batch({.size = 2});
  };
  for (const int64_t value :
       {int64_t{1} << 31, -(int64_t{1} << 31) - 1, INT64_MIN, INT64_MAX}) {
    EXPECT_THAT(
        First(dataset(value, ElementType::kInt32)),
        StatusIs(StatusCode::kInvalidArgument,
                 AllOf(HasSubstr("record 1"), HasSubstr("\"tokens\""),
                       HasSubstr(std::to_string(value)), HasSubstr("int32"))));
    ASSERT_OK_AND_ASSIGN(const Batch batch,
                         First(dataset(value, ElementType::kInt64)));
    EXPECT_EQ(Find(batch, "tokens").values<int64_t>()[3], value);
  }
  for (const int64_t value : {INT32_MAX, INT32_MIN}) {
    ASSERT_OK_AND_ASSIGN(const Batch batch,
                         First(dataset(value, ElementType::kInt32)));
    EXPECT_EQ(Find(batch, "tokens").values<int32_t>()[3], value);
  }
}

TEST_P(BatchTest, RowsWithoutAnOptionalFeatureHaveNoValues) {
  const std::string path = Write({{{}, {1}}, {{5}, {2}}});
  const auto dataset = [&](bool optional) {
    return Dataset::TfRecords(path)
        .Parse({{.name = "tokens", .optional = optional}})
        .Bucket({.by = "tokens", .lengths = {2}})
        .Batch({.size = 2});
  };
  ASSERT_OK_AND_ASSIGN(const Batch batch, First(dataset(true)));
  EXPECT_THAT(Find(batch, "tokens_lengths").values<int32_t>(),
              ElementsAre(0, 1));
  EXPECT_THAT(Find(batch, "row_mask").values<float>(), ElementsAre(1, 1));
  EXPECT_THAT(First(dataset(false)),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 0"), HasSubstr("tokens"))));
}

TEST_P(BatchTest, FixedFeaturesNeedNoBuckets) {
  const std::string pattern = WriteDataset(folder_, RandomLengths(5, 9, 1));
  ASSERT_OK_AND_ASSIGN(
      const Batch batch,
      First(
          Dataset::TfRecords(pattern).Parse({kHalf, kId}).Batch({.size = 6})));
  EXPECT_THAT(Find(batch, "half").shape, ElementsAre(6));
  EXPECT_THAT(Find(batch, "half").values<float>(),
              ElementsAre(0, 0.5, 1, 1.5, 2, 0));
  EXPECT_THAT(Find(batch, "id").values<int64_t>(),
              ElementsAre(0, 1, 2, 3, 4, 0));
  EXPECT_EQ(contract_.lengths, std::vector<int64_t>{0});
  EXPECT_EQ(contract_.shapes(), 1u);
}

TEST_P(BatchTest, BatchesKeepTheContract) {
  const std::string pattern = WriteDataset(folder_, RandomLengths(60, 32, 1));
  const Dataset dataset =
      Dataset::TfRecords(pattern)
          .Pad({.by = "tokens", .multiple_of = 8, .max_length = 32})
          .Batch({.size = 4});
  ASSERT_OK_AND_ASSIGN(
      Pipeline pipeline,
      Compile(dataset, {.shards = 2}, {.force_streamed = streamed()}));
  const Contract& contract = pipeline.contract();
  EXPECT_EQ(contract.Describe(),
            "tokens: int32 [4, 8 | 16 | 24 | 32], pad 0\n"
            "tokens_lengths: int32 [4]\n"
            "row_mask: float32 [4]\n");
  for (;;) {
    ASSERT_OK_AND_ASSIGN(const auto batch, pipeline.Next());
    if (!batch) break;
    uint64_t bytes = 0;
    ASSERT_EQ(batch->tensors.size(), contract.tensors.size());
    for (size_t t = 0; t < batch->tensors.size(); ++t) {
      EXPECT_EQ(batch->tensors[t].shape,
                contract.ShapeOf(t, batch->shape, contract.rows));
      bytes += batch->tensors[t].bytes.size();
    }
    EXPECT_EQ(bytes, 4 * contract.RowBytes(batch->shape));
    // No shorter shape would have held the longest row.
    const auto lengths = batch->tensors[1].values<int32_t>();
    EXPECT_GT(*std::max_element(lengths.begin(), lengths.end()),
              contract.lengths[batch->shape] - 8);
    for (size_t r = 0; r < lengths.size(); ++r) {
      const auto values = batch->tensors[0].values<int32_t>().subspan(
          r * static_cast<size_t>(contract.lengths[batch->shape]));
      for (int32_t j = 0; j < lengths[r]; ++j) {
        ASSERT_EQ(values[static_cast<size_t>(j)],
                  TokenOf(batch->record_ids[r], static_cast<uint64_t>(j)));
      }
    }
  }
}

}  // namespace
}  // namespace penstock::testing
