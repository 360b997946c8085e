// What the programs say and save of damaged TFRecord files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/index/record_index.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tools/programs/run_program.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScratchFolder;

// Ten records of 84 bytes: with their framing each takes 100.
class RecoveryProgramsTest : public ::testing::Test {
 protected:
  RecoveryProgramsTest() : good_(folder_ / "good.tfrecord") {
    auto writer = CreateTfRecord(LocalFiles(), good_);
    EXPECT_OK(writer);
    for (char c = 'a'; c < 'k'; ++c) {
      EXPECT_OK((*writer)->Append(std::string(84, c)));
    }
    EXPECT_OK((*writer)->Finish());
    // Record 2 has wrong data, 5 a wrong length, and the last is cut.
    std::string bytes = folder_.Read("good.tfrecord");
    bytes[220] ^= 1;
    bytes[500] ^= 1;
    bytes.resize(950);
    bad_ = folder_.Write("bad.tfrecord", bytes);
  }

  ScratchFolder folder_;
  const std::string good_;
  std::string bad_;
};

TEST_F(RecoveryProgramsTest, VerifyNamesEachBadPlaceOfEachFile) {
  const Outcome outcome =
      RunProgramLine(fmt::format("recordtool verify -q {} {}", good_, bad_));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(
      outcome.output,
      AllOf(HasSubstr("bad.tfrecord: corrupted data checksum at offset 200, "
                      "record #2, length 84"),
            HasSubstr("bytes [200, 300) are no good record"),
            HasSubstr("corrupted length checksum at offset 500"),
            HasSubstr("record #5"), HasSubstr("bytes [500, 600)"),
            HasSubstr("truncated record at offset 900"),
            HasSubstr("bytes [900, 950)"),
            HasSubstr("1 of 2 files are bad, in 3 places; 17 records are "
                      "good")));
  EXPECT_THAT(outcome.output, Not(HasSubstr("BAD " + good_)));
}

TEST_F(RecoveryProgramsTest, VerifyNamesWhatItCannotReadAtAll) {
  const std::string page = folder_.Write("page.tfrecord", "<!DOCTYPE html>\n");
  const Outcome outcome = RunProgramLine("recordtool verify -q " + page);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("looks like"),
                    HasSubstr("the rest of the file was not read")));
}

TEST_F(RecoveryProgramsTest, RepairSavesEachGoodRecordAndTellsTheRest) {
  for (const std::string name : {"new.tfrecord", "new.tfrecord.gz"}) {
    const std::string to = folder_ / name;
    const auto report =
        RunForJson(fmt::format("recordtool repair -q --json {} {}", bad_, to));
    EXPECT_EQ(report["records"], 7);
    EXPECT_EQ(report["record_bytes"], 7 * 84);
    EXPECT_EQ(report["input_bytes"], 950);
    EXPECT_EQ(report["skipped_bytes"], 250);
    ASSERT_EQ(report["skipped"].size(), 3u);
    EXPECT_EQ(report["skipped"][1]["begin"], 500);
    EXPECT_EQ(report["skipped"][1]["end"], 600);
    EXPECT_THAT(report["skipped"][1]["reason"].get<std::string>(),
                HasSubstr("corrupted length checksum"));
    EXPECT_EQ(RunProgramLine("recordtool verify -q " + to).exit_code, 0);
  }
  // What is saved is the good file without the three.
  const std::string good = folder_.Read("good.tfrecord");
  EXPECT_EQ(
      folder_.Read("new.tfrecord"),
      good.substr(0, 200) + good.substr(300, 200) + good.substr(600, 300));
}

// Each record is a gzip member of its own.
TEST_F(RecoveryProgramsTest, RepairSavesTheMembersAroundABrokenOne) {
  const std::string path = folder_ / "members.tfrecord.gz";
  auto writer = CreateTfRecord(
      LocalFiles(), path,
      {.compression = Compression::kGzip, .gzip = {.member_bytes = 1}});
  ASSERT_OK(writer);
  for (char c = 'a'; c < 'f'; ++c) {
    EXPECT_OK((*writer)->Append(std::string(84, c)));
  }
  EXPECT_OK((*writer)->Finish());
  std::string bytes = folder_.Read("members.tfrecord.gz");
  const size_t member = bytes.find("\x1f\x8b\x08\x04", 1);
  bytes[2 * member + 50] ^= 1;
  folder_.Write("members.tfrecord.gz", bytes);

  const Outcome verify = RunProgramLine("recordtool verify -q " + path);
  EXPECT_EQ(verify.exit_code, 1);
  EXPECT_THAT(verify.output,
              AllOf(HasSubstr(" in member 2"),
                    HasSubstr("the next gzip member was found at compressed "
                              "offset " +
                              std::to_string(3 * member)),
                    HasSubstr("in 1 places; 4 records are good")));
  const auto report = RunForJson(fmt::format(
      "recordtool repair -q --json {} {}", path, folder_ / "new.tfrecord"));
  EXPECT_EQ(report["records"], 4);
  EXPECT_EQ(report["skipped"].size(), 1u);
  const std::string good = folder_.Read("good.tfrecord");
  EXPECT_EQ(folder_.Read("new.tfrecord"),
            good.substr(0, 200) + good.substr(300, 200));
}

TEST_F(RecoveryProgramsTest, RepairSaysHowMuchIsLost) {
  const Outcome outcome = RunProgramLine(fmt::format(
      "recordtool repair -q {} {}", bad_, folder_ / "new.tfrecord"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
  EXPECT_THAT(outcome.output,
              AllOf(HasSubstr("skipped [200, 300)"), HasSubstr("7 records"),
                    HasSubstr("lost: 250 B in 3 places")));
}

TEST_F(RecoveryProgramsTest, RepairNeverHarmsAFileThatIsThere) {
  const std::string other = folder_.Write("other.tfrecord", "precious");
  const Outcome there =
      RunProgramLine(fmt::format("recordtool repair -q {} {}", bad_, other));
  EXPECT_EQ(there.exit_code, 1);
  EXPECT_THAT(there.output, HasSubstr("--force replaces it"));
  EXPECT_EQ(folder_.Read("other.tfrecord"), "precious");
  EXPECT_EQ(RunProgramLine(
                fmt::format("recordtool repair -q --force {} {}", bad_, other))
                .exit_code,
            0);
  EXPECT_EQ(folder_.Read("other.tfrecord").size(), 700u);

  const std::string before = folder_.Read("bad.tfrecord");
  const Outcome itself = RunProgramLine(
      fmt::format("recordtool repair -q --force {} {}", bad_, bad_));
  EXPECT_EQ(itself.exit_code, 1);
  EXPECT_THAT(itself.output, HasSubstr("is the damaged file itself"));
  EXPECT_EQ(folder_.Read("bad.tfrecord"), before);
}

TEST_F(RecoveryProgramsTest, RepairOfAFileWithNoGoodRecordWritesNothing) {
  const std::string holes =
      folder_.Write("holes.tfrecord", std::string(1000, '\0'));
  const std::string to = folder_ / "new.tfrecord";
  const Outcome outcome =
      RunProgramLine(fmt::format("recordtool repair -q {} {}", holes, to));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output, HasSubstr("no record is good"));
  EXPECT_FALSE(LocalFiles().Stat(to).ok());
}

class DamagedCorpusTest : public RecoveryProgramsTest {
 protected:
  Outcome Datagen(const std::string& input, const std::string& more) {
    return RunProgramLine(
        fmt::format("datagen --input {} --output {} --name a --overwrite "
                    "--unit line --quiet {}",
                    input, folder_ / "data", more));
  }
  nlohmann::json Manifest() {
    return nlohmann::json::parse(folder_.Read("data/a-train.manifest.json"));
  }
};

TEST_F(DamagedCorpusTest, DamageInTfRecordsEndsDatagenUnlessItMayBeSkipped) {
  const Outcome fails = Datagen(bad_, "");
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_THAT(fails.output, HasSubstr("corrupted data checksum at offset 200"));
  const Outcome skip = Datagen(bad_, "--on-corruption skip");
  EXPECT_EQ(skip.exit_code, 1);
  EXPECT_THAT(skip.output, HasSubstr("corrupted length checksum"));
  const Outcome over = Datagen(bad_, "--on-corruption resync --max-skipped 2");
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.output, HasSubstr("more than 2 regions would be skipped"));
  EXPECT_FALSE(LocalFiles().Stat(folder_ / "data/a-train.manifest.json").ok());

  const Outcome done = Datagen(bad_, "--on-corruption resync --max-skipped 3");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(
      done.output,
      AllOf(HasSubstr("datagen: skipped [500, 600): " + bad_),
            HasSubstr("datagen: skipped 250 B in 3 places"),
            HasSubstr("7 documents"), HasSubstr("3 bad places left out")));
  EXPECT_EQ(Manifest()["records"], 7);
  EXPECT_EQ(Manifest()["skipped"]["places"], 3);
  EXPECT_EQ(Manifest()["skipped"]["bytes"], 250);
  // The next run says nothing of an undamaged corpus.
  ASSERT_EQ(Datagen(good_, "--on-corruption resync").exit_code, 0);
  EXPECT_FALSE(Manifest().contains("skipped"));
}

TEST_F(DamagedCorpusTest, LinesThatAreNoJsonAreLeftOutWhereAskedFor) {
  const std::string lines = folder_.Write("a.jsonl",
                                          "{\"text\": \"x\"}\n{\"text\n"
                                          "[1}\n{\"text\": \"y\"}\n");
  EXPECT_EQ(Datagen(lines, "").exit_code, 1);
  const Outcome over = Datagen(lines, "--on-corruption skip --max-skipped 1");
  EXPECT_EQ(over.exit_code, 1);
  EXPECT_THAT(over.output,
              AllOf(HasSubstr("a.jsonl:3"), HasSubstr("more than 1 regions")));
  const Outcome done = Datagen(lines, "--on-corruption skip --max-skipped 2");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(
      done.output,
      AllOf(HasSubstr("datagen: skipped a line: " + lines + ":2: "),
            HasSubstr("datagen: skipped 2 lines"), HasSubstr("2 documents")));
  EXPECT_EQ(Manifest()["skipped"]["places"], 2);
  // A line of JSON without the field is no damage.
  const std::string other =
      folder_.Write("b.jsonl", "{\"text\": \"x\"}\n{\"txt\": \"y\"}\n");
  const Outcome missing = Datagen(other, "--on-corruption skip");
  EXPECT_EQ(missing.exit_code, 1);
  EXPECT_THAT(missing.output, HasSubstr("b.jsonl:2"));
}

TEST_F(DamagedCorpusTest, OtherKindsAreReadBesideThoseThatMaySkip) {
  EXPECT_OK(LocalFiles().CreateFolders(folder_ / "corpus"));
  folder_.Write("corpus/a.tfrecord", folder_.Read("bad.tfrecord"));
  folder_.Write("corpus/b.txt", "one\ntwo\n");
  const Outcome done = Datagen(folder_ / "corpus", "--on-corruption resync");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_EQ(Manifest()["records"], 9);
  folder_.Write("corpus/c.txt.gz", "\x1f\x8b\x08\x00");
  const Outcome fails = Datagen(folder_ / "corpus", "--on-corruption resync");
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_THAT(fails.output, HasSubstr("gzip stream ended before its trailer"));
}

// Legal, but mostly a mistake of whoever made them.
TEST_F(DamagedCorpusTest, FilesThatHoldNothingAreCounted) {
  EXPECT_OK(LocalFiles().CreateFolders(folder_ / "corpus"));
  folder_.Write("corpus/a.tfrecord", "");
  folder_.Write("corpus/b.txt", "");
  folder_.Write("corpus/c.txt", "words\n");
  const Outcome done = Datagen(folder_ / "corpus", "");
  ASSERT_EQ(done.exit_code, 0) << done.output;
  EXPECT_THAT(done.output, HasSubstr("2 files hold no document (first: " +
                                     folder_.path() + "/corpus/a.tfrecord)"));

  const std::string empty = folder_ / "corpus/a.tfrecord";
  const std::string both = empty + " " + good_;
  EXPECT_THAT(RunProgramLine("recordtool verify -q " + both).output,
              AllOf(HasSubstr("every checksum is right"),
                    HasSubstr("1 files are empty (first: " + empty + ")")));
  for (const std::string command : {"count", "stats"}) {
    const std::string line = "recordtool " + command + " -q ";
    EXPECT_EQ(RunForJson(line + "--json " + empty)["empty_files"], 1);
    EXPECT_THAT(RunProgramLine(line + empty).output,
                HasSubstr("1 files are empty (first: " + empty + ")"));
  }
  EXPECT_EQ(RunForJson("recordtool count -q --json " + good_)["empty_files"],
            0);
}

class DamagedTrainingTest : public ::testing::Test {
 protected:
  // Forty documents of which the sixth is damaged.
  std::string MakeDataset() {
    std::string text;
    for (int i = 0; i < 40; ++i) text += std::string(10, 'a') + "\n";
    folder_.Write("corpus.txt", text);
    const Outcome made = RunProgramLine(fmt::format(
        "datagen --input {} --output {} --name small --unit line --tokenizer "
        "bytes --shards 1 --quiet",
        folder_ / "corpus.txt", folder_ / "data"));
    EXPECT_EQ(made.exit_code, 0) << made.output;
    const std::string name = "data/small-train.tfrecord-00000-of-00001";
    std::string bytes = folder_.Read(name);
    bytes[bytes.size() / 40 * 5 + 20] ^= 1;
    EXPECT_OK(LocalFiles().Remove(IndexPath(folder_ / name)));
    return folder_.Write(name, bytes);
  }
  Outcome Train(const std::string& dataset, const std::string& more) {
    return RunProgramLine(fmt::format(
        "infeedsim {} --by tokens --buckets 16 --batch 8 --cores 2 --hosts 2 "
        "--epochs 2 --shuffle-window 10 --step-time 0 --compile-time 0 {}",
        dataset, more));
  }
  ScratchFolder folder_;
};

TEST_F(DamagedTrainingTest, DamageEndsTheRunUnlessItMayBeSkipped) {
  const std::string dataset = MakeDataset();
  const Outcome seen = Train(dataset, "");
  EXPECT_EQ(seen.exit_code, 1);
  EXPECT_THAT(seen.output, AllOf(HasSubstr("has other bytes"),
                                 HasSubstr("small-train.manifest.json")));
  EXPECT_OK(LocalFiles().Remove(folder_ / "data/small-train.manifest.json"));
  const Outcome fails = Train(dataset, "");
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_THAT(fails.output, HasSubstr("corrupted data checksum"));
  for (const std::string policy : {"skip", "resync"}) {
    const Outcome outcome =
        Train(dataset, fmt::format("--on-corruption {} --max-skipped 1 "
                                   "--explain --json {}",
                                   policy, folder_ / "report.json"));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.output;
    EXPECT_THAT(outcome.output, AllOf(HasSubstr("infeedsim: skipped ["),
                                      HasSubstr("in 1 places"),
                                      HasSubstr("on_corruption is " + policy)));
    const auto report = nlohmann::json::parse(folder_.Read("report.json"));
    EXPECT_EQ(report["record_digest"]["count"], 2 * 39);
  }
}

TEST_F(DamagedTrainingTest, MoreDamageThanMayBeSkippedEndsTheRun) {
  const std::string dataset = MakeDataset();
  std::string bytes = folder_.Read("data/small-train.tfrecord-00000-of-00001");
  bytes[bytes.size() / 40 * 9 + 20] ^= 1;
  folder_.Write("data/small-train.tfrecord-00000-of-00001", bytes);
  const Outcome outcome =
      Train(dataset, "--on-corruption resync --max-skipped 1");
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.output,
              HasSubstr("more than 1 regions would be skipped in all files"));
}

}  // namespace
}  // namespace penstock
