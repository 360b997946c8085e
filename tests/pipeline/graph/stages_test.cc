// Graphs that cannot work are refused with what to change.
#include "pipeline/graph/stages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "formats/files/file.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/load.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Dataset Read() { return Dataset::TfRecords("a.tfrecord"); }

Dataset Parsed(std::vector<Feature> features) {
  return Read().Parse(std::move(features));
}

std::shared_ptr<const Tokenizer> Bytes() {
  return *LoadTokenizer(LocalFiles(), "bytes");
}

BucketOptions ByTokens() { return {.by = "tokens", .lengths = {8, 16}}; }

void ExpectRefused(const Dataset& dataset, const char* words) {
  EXPECT_THAT(FlattenStages(dataset),
              StatusIs(StatusCode::kInvalidArgument, HasSubstr(words)));
}

TEST(StagesTest, StagesInTheWrongPlaceAreRefused) {
  ExpectRefused(Read().Bucket(ByTokens()), "no Batch");
  ExpectRefused(Read().Bucket(ByTokens()).Batch({.size = 1}).Batch({.size = 1}),
                "two Batch");
  ExpectRefused(Read().Bucket(ByTokens()).Bucket(ByTokens()).Batch({.size = 1}),
                "two of Bucket, Pad and Pack");
  ExpectRefused(Read()
                    .Bucket(ByTokens())
                    .Pad({.by = "tokens", .max_length = 128})
                    .Batch({.size = 1}),
                "two of Bucket, Pad and Pack");
  ExpectRefused(Read().Bucket(ByTokens()).Shuffle({}).Batch({.size = 1}),
                "Shuffle after Bucket");
  ExpectRefused(Read().Bucket(ByTokens()).Batch({.size = 1}).Repeat({}),
                "Repeat after Batch");
  ExpectRefused(Read().Batch({.size = 1}).Bucket(ByTokens()),
                "Bucket after Batch");
  ExpectRefused(
      Read().Shuffle({}).Shuffle({}).Bucket(ByTokens()).Batch({.size = 1}),
      "two Shuffle");
  ExpectRefused(
      Read().Repeat({}).Repeat({}).Bucket(ByTokens()).Batch({.size = 1}),
      "two Repeat");
  ExpectRefused(Read()
                    .Tokenize(Bytes())
                    .Parse({{.name = "id", .length = 1}})
                    .Batch({.size = 1}),
                "Parse after Tokenize");
  ExpectRefused(Dataset::Corpus("a.txt")
                    .Parse({{.name = "id", .length = 1}})
                    .Batch({.size = 1}),
                "Parse takes features out of tf.train.Example");
  ExpectRefused(Read()
                    .Objective(SpanCorruption{})
                    .Pack({.by = "tokens", .length = 16})
                    .Batch({.size = 1}),
                "SpanCorruption after Pack");
  ExpectRefused(Dataset::TfRecords("").Bucket(ByTokens()).Batch({.size = 1}),
                "no files");
}

TEST(StagesTest, FeaturesThatCannotBeBatchedAreRefused) {
  ExpectRefused(Read().Batch({.size = 1}), "add .Parse");
  ExpectRefused(Parsed({}).Batch({.size = 1}), "Parse without a feature");
  ExpectRefused(
      Parsed({{.name = "text", .type = FeatureType::kBytes, .length = 1}})
          .Batch({.size = 1}),
      "\"text\" is bytes");
  ExpectRefused(Dataset::Corpus("a.txt").Batch({.size = 1}),
                "\"text\" is bytes");
  ExpectRefused(Parsed({{.name = "tokens"}}).Batch({.size = 1}),
                "add Bucket, Pad or Pack");
  ExpectRefused(Parsed({{.name = "id", .length = 0}}).Batch({.size = 1}),
                "length 0");
  ExpectRefused(
      Parsed({{.name = "id", .length = 1, .as = ElementType::kFloat32}})
          .Batch({.size = 1}),
      "cannot become float32");
  ExpectRefused(
      Parsed({{.name = "id", .length = 1}, {.name = "id", .length = 1}})
          .Batch({.size = 1}),
      "two tensors");
  ExpectRefused(
      Parsed({{.name = "tokens"}, {.name = "tokens_lengths", .length = 1}})
          .Bucket(ByTokens())
          .Batch({.size = 1}),
      "tokens_lengths");
  ExpectRefused(Parsed({{.name = "row_mask", .length = 1}}).Batch({.size = 1}),
                "row_mask");
}

TEST(StagesTest, TokenizeNeedsOneTextAndANewName) {
  const auto tokenized = [](std::vector<Feature> features,
                            TokenizeOptions options = {}) {
    return Parsed(std::move(features))
        .Tokenize(Bytes(), std::move(options))
        .Bucket(ByTokens())
        .Batch({.size = 1});
  };
  ExpectRefused(tokenized({{.name = "id", .length = 1}}),
                "Tokenize reads \"text\", but the features are id");
  ExpectRefused(tokenized({{.name = "text", .length = 1}}),
                "must be a bytes feature of length 1");
  ExpectRefused(tokenized({{.name = "text", .type = FeatureType::kBytes}}),
                "must be a bytes feature of length 1");
  ExpectRefused(
      tokenized({{.name = "text", .type = FeatureType::kBytes, .length = 1},
                 {.name = "tokens", .length = 1}}),
      "already a feature");
  ExpectRefused(Read().Tokenize(nullptr).Bucket(ByTokens()).Batch({.size = 1}),
                "without tokenizer");
  EXPECT_OK(FlattenStages(
      tokenized({{.name = "text", .type = FeatureType::kBytes, .length = 1}})));
}

TEST(StagesTest, BucketsAndPaddingAreChecked) {
  const auto bucket = [](BucketOptions options) {
    return Parsed({{.name = "tokens"}, {.name = "id", .length = 1}})
        .Bucket(std::move(options))
        .Batch({.size = 1});
  };
  const auto pad = [](PadOptions options) {
    return Read().Pad(std::move(options)).Batch({.size = 1});
  };
  ExpectRefused(bucket({.by = "labels", .lengths = {8}}),
                "Bucket by \"labels\", but the features are tokens, id");
  ExpectRefused(bucket({.by = "id", .lengths = {8}}), "always has 1 values");
  ExpectRefused(bucket({.by = "tokens", .lengths = {}, .shapes = 0}),
                "Bucket without lengths");
  ExpectRefused(bucket({.by = "tokens", .lengths = {8, 8}}), "8, 8 do not");
  ExpectRefused(bucket({.by = "tokens", .lengths = {16, 8}}), "rise");
  ExpectRefused(bucket({.by = "tokens", .lengths = {0, 8}}), "positive");
  ExpectRefused(bucket({.by = "tokens", .lengths = {8, 16}, .rows = {1}}),
                "Bucket has 2 lengths and the rows of 1 batches");
  ExpectRefused(bucket({.by = "tokens", .rows = {1}}), "has 0 lengths");
  ExpectRefused(bucket({.by = "tokens", .lengths = {8, 16}, .rows = {1, 0}}),
                "batches of 0 rows");
  ExpectRefused(bucket({.by = "tokens", .lengths = {8, 16}, .rows = {4, 2}}),
                "leave out its size of 1");
  ExpectRefused(bucket({.by = "tokens", .lengths = {8}, .pad_value = 0.5}),
                "pad_value 0.5 is no int32");
  ExpectRefused(bucket({.by = "tokens", .lengths = {8}, .pad_value = 3e9}),
                "int32");
  ExpectRefused(bucket({.by = "tokens", .lengths = {int64_t{1} << 31}}),
                "lengths are int32");
  ExpectRefused(pad({.by = "tokens"}), "max_length");
  ExpectRefused(pad({.by = "tokens", .multiple_of = 0, .max_length = 8}),
                "positive");
  ExpectRefused(pad({.by = "tokens", .multiple_of = 8, .max_length = 12}),
                "a multiple of 8; it is 12");
  ExpectRefused(pad({.by = "tokens", .multiple_of = 1, .max_length = 1 << 20}),
                "1048576 shapes");
}

TEST(StagesTest, BatchesHaveRowsButNotTooMany) {
  ExpectRefused(Read().Bucket(ByTokens()).Batch({}), "a batch of 0 rows");
  ExpectRefused(Read().Bucket(ByTokens()).Batch({.size = int64_t{1} << 40}),
                "from 1 to 67108864");
}

TEST(StagesTest, StagesBeforeBucketMayStandInAnyOrder) {
  const Dataset one = Read().Shuffle({.seed = 3}).Repeat({.epochs = 2});
  const Dataset two = Read().Repeat({.epochs = 2}).Shuffle({.seed = 3});
  const auto fingerprint = [](const Dataset& dataset) {
    return FlattenStages(dataset.Bucket(ByTokens()).Batch({.size = 1}))
        ->Parts();
  };
  EXPECT_EQ(fingerprint(one), fingerprint(two));
}

// A run may be made longer.
TEST(StagesTest, EpochsAreNoPartOfTheGraph) {
  const auto parts = [](uint64_t epochs) {
    return FlattenStages(Read()
                             .Repeat({.epochs = epochs})
                             .Bucket(ByTokens())
                             .Batch({.size = 8}))
        ->Parts();
  };
  EXPECT_EQ(parts(1), parts(0));
}

TEST(StagesTest, SizesThatNoMachineHasAreRefused) {
  ExpectRefused(Read()
                    .Pad({.by = "tokens",
                          .multiple_of = int64_t{1} << 62,
                          .max_length = int64_t{1} << 62})
                    .Batch({.size = 1}),
                "lengths are int32");
}

TEST(StagesTest, FloatsThatAreNoFloat32CannotPad) {
  const auto pad = [](double value) {
    return Dataset::TfRecords("a.tfrecord")
        .Parse({{.name = "x", .type = FeatureType::kFloat}})
        .Bucket({.by = "x", .lengths = {4}, .pad_value = value})
        .Batch({.size = 1});
  };
  ExpectRefused(pad(1e39), "no float32 value");
  EXPECT_OK(FlattenStages(pad(-1e38)));
  EXPECT_OK(FlattenStages(pad(std::numeric_limits<double>::infinity())));
}

TEST(StagesTest, EveryOptionThatDecidesBatchesIsInTheFingerprint) {
  const auto text = [](EncodeOptions encode, std::string to = "tokens") {
    return Dataset::Corpus("a.txt")
        .Tokenize(Bytes(), {.to = to, .encode = encode})
        .Bucket({.by = to, .lengths = {8}})
        .Batch({.size = 1});
  };
  const auto bucket = [](BucketOptions options,
                         BatchOptions batch = {.size = 8}) {
    return Read().Bucket(std::move(options)).Batch(batch);
  };
  const std::vector<Dataset> datasets = {
      bucket(ByTokens()),
      bucket({.by = "words", .lengths = {8, 16}}),
      bucket({.by = "tokens", .lengths = {8, 24}}),
      bucket({.by = "tokens", .lengths = {8, 16}, .too_long = TooLong::kDrop}),
      bucket({.by = "tokens", .lengths = {8, 16}, .pad_value = 1}),
      bucket(ByTokens(), {.size = 16}),
      bucket({.by = "tokens", .lengths = {8, 16}, .rows = {8, 4}}, {}),
      bucket({.by = "tokens", .lengths = {8, 16}, .rows = {4, 8}}, {}),
      bucket({.by = "tokens", .lengths = {8, 16}, .rows = {24, 32}}, {}),
      bucket({.by = "tokens", .lengths = {8, 16, 24, 32}}, {.size = 32}),
      bucket(ByTokens(), {.size = 8, .leftover = Leftover::kDrop}),
      Read()
          .Pad({.by = "tokens", .multiple_of = 8, .max_length = 16})
          .Batch({.size = 8}),
      Read().Shuffle({}).Bucket(ByTokens()).Batch({.size = 8}),
      Read().Shuffle({.seed = 1}).Bucket(ByTokens()).Batch({.size = 8}),
      Read()
          .Shuffle({.window_records = 9})
          .Bucket(ByTokens())
          .Batch({.size = 8}),
      Parsed({{.name = "tokens", .as = ElementType::kInt64}})
          .Bucket(ByTokens())
          .Batch({.size = 8}),
      Parsed({{.name = "tokens", .optional = true}})
          .Bucket(ByTokens())
          .Batch({.size = 8}),
      text({}),
      text({}, "ids"),
      text({.special_text = SpecialText::kRefuse}),
      text({.add_special_tokens = false})};
  std::set<std::string> fingerprints;
  for (const Dataset& dataset : datasets) {
    ASSERT_OK_AND_ASSIGN(const Stages stages, FlattenStages(dataset));
    State state;
    state.graph = stages.Parts();
    fingerprints.insert(FormatState(state));
  }
  EXPECT_EQ(fingerprints.size(), datasets.size());
}

}  // namespace
}  // namespace penstock::testing
