#include "tools/datagen/conversion.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <span>
#include <string>
#include <vector>

#include "formats/datasets/manifest.h"
#include "formats/datasets/shard_names.h"
#include "formats/datasets/tfds_folder.h"
#include "formats/example/example_parser.h"
#include "formats/files/posix_files.h"
#include "formats/index/record_files.h"
#include "formats/open.h"
#include "tests/support/effort.h"
#include "tests/support/faulty_calls.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::IsOk;
using testing::ScratchFolder;
using testing::StatusIs;

using testing::Call;
using testing::FaultyCalls;

class ConversionTest : public ::testing::Test {
 protected:
  ConversionOptions Options(std::string output) {
    ConversionOptions options;
    options.inputs = {folder_ / "corpus"};
    options.output = folder_ / output;
    options.name = "books";
    options.corpus.open.text_unit = TextUnit::kLine;
    options.shards = 3;
    options.quiet = true;
    return options;
  }

  void WriteCorpus(int files, int lines) {
    EXPECT_THAT(LocalFiles().CreateFolders(folder_ / "corpus"), IsOk());
    for (int f = 0; f < files; ++f) {
      std::string text;
      for (int i = 0; i < lines; ++i) {
        text += fmt::format("file {} line {} {}\n", f, i,
                            std::string(i * 7 % 50, 'x'));
      }
      folder_.Write(fmt::format("corpus/{}.txt", f), text);
    }
  }

  // The values of every record in order of record id.
  std::vector<std::string> ReadBack(const ConversionResult& result) {
    auto paths = ExpandPattern(LocalFiles(), result.pattern);
    EXPECT_THAT(paths, IsOk());
    auto files = RecordFiles::Open(LocalFiles(), *paths);
    EXPECT_THAT(files, IsOk());
    std::vector<uint64_t> ids((*files)->records());
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    GatheredRecords gathered;
    EXPECT_THAT((*files)->Gather(ids, gathered), IsOk());
    auto parser = ExampleParser::Create(
        {{.name = "text", .type = FeatureType::kBytes, .optional = true},
         {.name = "tokens", .type = FeatureType::kInt64, .optional = true}});
    Examples examples;
    EXPECT_THAT(
        parser->Parse(
            gathered.records, [](size_t) { return std::string(); }, examples),
        IsOk());
    std::vector<std::string> values;
    for (size_t row = 0; row < examples.rows; ++row) {
      const auto ints = examples.columns[1].ints_of(row);
      std::string value(ints.begin(), ints.end());
      if (examples.columns[0].values_in(row) > 0) {
        value =
            examples.columns[0].bytes_at(examples.columns[0].row_offsets[row]);
      }
      values.push_back(value);
    }
    return values;
  }

  ScratchFolder folder_;
};

TEST_F(ConversionTest, EveryDocumentIsInOneShardRoundAndRound) {
  WriteCorpus(1, 7);
  ASSERT_OK_AND_ASSIGN(const auto result,
                       ConvertCorpus(LocalFiles(), Options("out")));
  EXPECT_EQ(result.documents, 7u);
  EXPECT_EQ(result.records, 7u);
  const std::vector<std::string> values = ReadBack(result);
  ASSERT_EQ(values.size(), 7u);
  // Shard 0 holds documents 0, 3 and 6.
  EXPECT_THAT(values[1], HasSubstr("file 0 line 3 "));
  EXPECT_THAT(values[2], HasSubstr("file 0 line 6 "));
  EXPECT_THAT(values[3], HasSubstr("file 0 line 1 "));
}

TEST_F(ConversionTest, TheSameInputGivesTheSameBytesForAnyNumberOfThreads) {
  WriteCorpus(5, 2000);
  ConversionOptions one = Options("one");
  one.threads = 1;
  ConversionOptions eight = Options("eight");
  eight.threads = 8;
  ASSERT_OK(ConvertCorpus(LocalFiles(), one));
  ASSERT_OK(ConvertCorpus(LocalFiles(), eight));
  for (int s = 0; s < 3; ++s) {
    const std::string shard =
        fmt::format("books-train.tfrecord-0000{}-of-00003", s);
    EXPECT_EQ(folder_.Read("one/" + shard), folder_.Read("eight/" + shard));
  }
}

TEST_F(ConversionTest, LongDocumentsAreCutAndNothingIsLost) {
  WriteCorpus(1, 40);
  ConversionOptions options = Options("out");
  options.shards = 1;
  options.max_tokens = 16;
  ASSERT_OK_AND_ASSIGN(options.tokenizer, LoadTokenizer(LocalFiles(), "bytes"));
  ASSERT_OK_AND_ASSIGN(const auto result, ConvertCorpus(LocalFiles(), options));
  std::string all;
  for (const std::string& value : ReadBack(result)) {
    EXPECT_LE(value.size(), 16u);
    all += value;
  }
  std::string expected = folder_.Read("corpus/0.txt");
  std::erase(expected, '\n');
  EXPECT_EQ(all, expected);
  EXPECT_EQ(result.tokens, expected.size());
}

TEST_F(ConversionTest, TheIndexTellsEachRecordsTokens) {
  WriteCorpus(1, 5);
  ConversionOptions options = Options("out");
  options.shards = 1;
  ASSERT_OK_AND_ASSIGN(options.tokenizer, LoadTokenizer(LocalFiles(), "bytes"));
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  ASSERT_OK_AND_ASSIGN(
      const RecordIndex index,
      RecordIndex::Load(LocalFiles(),
                        folder_ / "out/books-train.tfrecord-00000-of-00001"));
  ASSERT_OK_AND_ASSIGN(const auto tokens, index.Lengths("tokens"));
  // "file 0 line i " is 14 bytes, then i * 7 % 50 of x.
  EXPECT_THAT(tokens, ElementsAre(14, 21, 28, 35, 42));
}

TEST_F(ConversionTest, TokensAsBytesAreTheSameTokens) {
  WriteCorpus(1, 5);
  ConversionOptions options = Options("out");
  options.shards = 1;
  options.token_encoding = FeatureEncoding::kUint16;
  EXPECT_THAT(
      ConvertCorpus(LocalFiles(), options),
      StatusIs(StatusCode::kInvalidArgument, HasSubstr("needs a tokenizer")));
  ASSERT_OK_AND_ASSIGN(options.tokenizer, LoadTokenizer(LocalFiles(), "bytes"));
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  const std::string shard = folder_ / "out/books-train.tfrecord-00000-of-00001";
  ASSERT_OK_AND_ASSIGN(const auto reader, OpenRecords(LocalFiles(), shard));
  ASSERT_OK_AND_ASSIGN(const auto block, reader->NextBlock());
  ASSERT_OK_AND_ASSIGN(
      const auto parser,
      ExampleParser::Create(
          {{.name = "tokens", .encoding = FeatureEncoding::kUint16}}));
  Examples examples;
  ASSERT_OK(parser.Parse(
      block->records, [](size_t) { return std::string(); }, examples));
  const std::string text = "file 0 line 1 xxxxxxx";
  const auto tokens = examples.columns[0].ints_of(1);
  EXPECT_EQ(std::string(tokens.begin(), tokens.end()), text);
  ASSERT_OK_AND_ASSIGN(const auto manifest,
                       LoadManifestBeside(LocalFiles(), shard));
  EXPECT_EQ(manifest->Find("tokens")->encoding, FeatureEncoding::kUint16);
  ASSERT_OK_AND_ASSIGN(const auto features,
                       LoadTfdsFeatures(LocalFiles(), folder_ / "out"));
  EXPECT_EQ(features[0].encoding, FeatureEncoding::kUint16);
}

TEST_F(ConversionTest, AVocabularyThatDoesNotFitIsRefused) {
  WriteCorpus(1, 1);
  std::string words;
  for (int i = 0; i < 70000; ++i) words += fmt::format("w{}\n", i);
  folder_.Write("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n" + words);
  ConversionOptions options = Options("out");
  options.token_encoding = FeatureEncoding::kUint16;
  ASSERT_OK_AND_ASSIGN(options.tokenizer,
                       LoadTokenizer(LocalFiles(), folder_ / "vocab.txt"));
  EXPECT_THAT(ConvertCorpus(LocalFiles(), options),
              StatusIs(StatusCode::kInvalidArgument,
                       HasSubstr("70005 ids, more than uint16 can hold")));
}

TEST_F(ConversionTest, SplitsShareOneTfdsDescription) {
  WriteCorpus(1, 7);
  ConversionOptions options = Options("out");
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  options.split = "test";
  options.shards = 1;
  ASSERT_OK_AND_ASSIGN(const auto result, ConvertCorpus(LocalFiles(), options));
  EXPECT_EQ(result.no_tfds, "");
  ASSERT_OK_AND_ASSIGN(const TfdsInfo info,
                       TfdsInfo::Load(LocalFiles(), folder_ / "out"));
  ASSERT_EQ(info.splits.size(), 2);
  EXPECT_THAT(info.Find("train")->shard_records, ElementsAre(3, 2, 2));
  EXPECT_THAT(info.Find("test")->shard_records, ElementsAre(7));
  EXPECT_EQ(
      *ExpandPattern(LocalFiles(), folder_ / "out@train"),
      *ExpandPattern(LocalFiles(), folder_ / "out/books-train.tfrecord@3"));
}

TEST_F(ConversionTest, AFolderOfAnotherDatasetKeepsItsDescription) {
  WriteCorpus(1, 7);
  ConversionOptions options = Options("out");
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  options.name = "other";
  ASSERT_OK_AND_ASSIGN(const auto result, ConvertCorpus(LocalFiles(), options));
  EXPECT_THAT(result.no_tfds, HasSubstr("is of dataset books"));
  ASSERT_OK_AND_ASSIGN(const TfdsInfo info,
                       TfdsInfo::Load(LocalFiles(), folder_ / "out"));
  EXPECT_EQ(info.name, "books");
}

TEST_F(ConversionTest, TheManifestNamesEveryShard) {
  WriteCorpus(1, 7);
  ASSERT_OK_AND_ASSIGN(const auto result,
                       ConvertCorpus(LocalFiles(), Options("out")));
  ASSERT_OK_AND_ASSIGN(const Manifest manifest,
                       Manifest::Load(LocalFiles(), result.manifest));
  ASSERT_EQ(manifest.shards.size(), 3u);
  EXPECT_EQ(manifest.shards[0].records, 3u);
  EXPECT_EQ(manifest.shards[2].records, 2u);
  EXPECT_EQ(manifest.shards[1].file, "books-train.tfrecord-00001-of-00003");
}

TEST_F(ConversionTest, ADatasetThatIsThereIsNotReplacedUnlessAsked) {
  WriteCorpus(1, 7);
  ASSERT_OK(ConvertCorpus(LocalFiles(), Options("out")));
  EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("out")),
              StatusIs(StatusCode::kAlreadyExists, HasSubstr("--overwrite")));
  ConversionOptions options = Options("out");
  options.overwrite = true;
  options.shards = 2;
  ASSERT_OK(ConvertCorpus(LocalFiles(), options));
  EXPECT_THAT(
      LocalFiles().Stat(folder_ / "out/books-train.tfrecord-00000-of-00003"),
      StatusIs(StatusCode::kNotFound, HasSubstr("00003")))
      << "shards of the dataset that was replaced are still there";
}

TEST_F(ConversionTest, ABadLineIsNamedAndNoManifestIsWritten) {
  ASSERT_OK(LocalFiles().CreateFolders(folder_ / "corpus"));
  folder_.Write("corpus/a.jsonl", "{\"text\":\"good\"}\n{\"text\":\n");
  EXPECT_THAT(ConvertCorpus(LocalFiles(), Options("out")).status().ToString(),
              HasSubstr("a.jsonl:2"));
  EXPECT_THAT(LocalFiles().Stat(folder_ / "out/books-train.manifest.json"),
              StatusIs(StatusCode::kNotFound, HasSubstr("manifest")));
}

TEST_F(ConversionTest, FilesOfAnUnknownKindAreNamedNotLost) {
  WriteCorpus(1, 3);
  folder_.Write("corpus/picture.png", "\x89PNG");
  ASSERT_OK_AND_ASSIGN(const auto result,
                       ConvertCorpus(LocalFiles(), Options("out")));
  EXPECT_THAT(result.input.skipped,
              ElementsAre(folder_ / "corpus/picture.png"));
}

TEST_F(ConversionTest, AMissingInputIsNamed) {
  ConversionOptions options = Options("out");
  options.inputs = {folder_ / "nowhere.txt"};
  EXPECT_THAT(ConvertCorpus(LocalFiles(), options),
              StatusIs(StatusCode::kNotFound, HasSubstr("nowhere.txt")));
}

// Also where the error is one that "TFDS takes no such name" has, too.
TEST_F(ConversionTest, ADescriptionThatCannotBeWrittenIsAnError) {
  WriteCorpus(1, 5);
  constexpr int kErrors[] = {ENOSPC, EXDEV, EINVAL, EISDIR};
  for (const int error :
       std::span(kErrors).first(testing::kCaseStride == 1 ? 4 : 1)) {
    // Of two renames, the shard's and its index's, nothing is known here.
    bool refused = false;
    for (uint64_t n = 0; !refused; ++n) {
      ASSERT_LT(n, 20u);
      FaultyCalls calls;
      PosixFiles files(calls);
      calls.FailAt(Call::kRename, n, error);
      ConversionOptions options = Options(fmt::format("{}-{}", error, n));
      options.shards = 1;
      const Status status = ConvertCorpus(files, options).status();
      ASSERT_FALSE(status.ok()) << n;
      refused = std::string(status.message()).find("dataset_info.json") !=
                std::string::npos;
    }
  }
}

}  // namespace
}  // namespace penstock
