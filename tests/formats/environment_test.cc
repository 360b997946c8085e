// What surrounds a process: locale, umask, names of files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

#include "formats/datasets/manifest.h"
#include "formats/open.h"
#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class EnvironmentTest : public ::testing::Test {
 protected:
  std::string WriteTfRecord(const std::string& path) {
    auto writer = CreateTfRecord(LocalFiles(), path);
    EXPECT_OK(writer);
    if (!writer.ok()) return "";
    EXPECT_OK((*writer)->Append("record"));
    EXPECT_OK((*writer)->Finish());
    return path;
  }
  ReadOut Read(const std::string& path) {
    return ReadAll(OpenRecords(LocalFiles(), path));
  }

  ScratchFolder folder_;
};

// German writes 1.5 as 1,5. Made here, since few machines have it installed.
TEST_F(EnvironmentTest, ADecimalCommaChangesNothing) {
  const std::string make = "localedef -i de_DE -f UTF-8 --no-archive '" +
                           (folder_ / "de_DE.UTF-8") + "' >/dev/null 2>&1";
  if (system(make.c_str()) != 0 ||
      setenv("LOCPATH", folder_.path().c_str(), 1) != 0 ||
      setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "there is no German locale and none can be made here";
  }
  char comma[8];
  std::snprintf(comma, sizeof(comma), "%.1f", 1.5);
  EXPECT_STREQ(comma, "1,5");

  const std::string jsonl =
      "{\"x\": 1.5e3, \"text\": \"1.5\"}\n{\"x\": 1,5, \"text\": \"b\"}\n";
  const ReadOut out = Read(folder_.Write("f.jsonl", jsonl));
  EXPECT_THAT(out.records, ElementsAre("1.5"));
  EXPECT_THAT(out.status, StatusIs(StatusCode::kDataLoss,
                                   HasSubstr(":2: column 9: not JSON")));
  EXPECT_THAT(Read(folder_.Write("f.csv", "text,x\n1.5,2\n")).records,
              ElementsAre("1.5"));
  const std::string name = "caf\xc3\xa9.txt";
  EXPECT_THAT(ReadAs("c.tar.gz", Gzip(Tar({{name, "x"}}))).places,
              ElementsAre("c.tar.gz!" + name + ":1"));
  const Manifest manifest{.tool_version = "1.5", .dataset = "d"};
  EXPECT_OK(manifest.Save(LocalFiles(), folder_ / "m.json"));
  ASSERT_OK_AND_ASSIGN(const Manifest loaded,
                       Manifest::Load(LocalFiles(), folder_ / "m.json"));
  EXPECT_EQ(loaded.tool_version, "1.5");
  setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
}

TEST_F(EnvironmentTest, FilesAreAsOpenToOthersAsTheUmaskAllows) {
  for (const auto& [mask, mode] :
       {std::pair(077, 0600), std::pair(022, 0644)}) {
    const mode_t before = umask(mask);
    const std::string path = WriteTfRecord(folder_ / "a.tfrecord");
    umask(before);
    struct stat info {};
    ASSERT_EQ(stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, mode);
    EXPECT_THAT(Read(path).records, ElementsAre("record"));
  }
}

TEST_F(EnvironmentTest, NamesOfAnyBytesAreReadAndWritten) {
  for (const std::string name : {"caf\xe9", "a b'c\"d", "new\nline", "%s{}"}) {
    const std::string path = folder_ / (name + ".tfrecord");
    EXPECT_THAT(Read(WriteTfRecord(path)).records, ElementsAre("record"));
    EXPECT_THAT(
        Read(folder_.Write(name + ".jsonl", "{")).status,
        StatusIs(StatusCode::kDataLoss,
                 StartsWith(folder_ / (name + ".jsonl:1: column 1: "))));
  }
}

TEST_F(EnvironmentTest, APathThatIsTooLongOrGoesInCirclesIsNamed) {
  const std::string part = folder_ / std::string(300, 'n');
  EXPECT_THAT(Read(part + ".txt").status,
              StatusIs(kInvalid, HasSubstr("File name too long")));
  std::string deep = folder_.path();
  while (deep.size() < 5000) deep += "/" + std::string(200, 'd');
  EXPECT_THAT(Read(deep + ".txt").status,
              StatusIs(kInvalid, HasSubstr("File name too long")));
  EXPECT_THAT(CreateTfRecord(LocalFiles(), deep),
              StatusIs(kInvalid, HasSubstr("File name too long")));
  ASSERT_EQ(symlink("loop.txt", (folder_ / "loop.txt").c_str()), 0);
  EXPECT_THAT(
      Read(folder_ / "loop.txt").status,
      StatusIs(kInvalid, HasSubstr("loop.txt: cannot open: Too many levels")));
}

TEST_F(EnvironmentTest, WhereNothingMayBeWrittenTheFileIsNamed) {
  const std::string locked = folder_ / "locked";
  ASSERT_EQ(mkdir(locked.c_str(), 0555), 0);
  ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
  const bool is_root = geteuid() == 0;  // who may write everywhere
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  const Status status =
      CreateTfRecord(LocalFiles(), locked + "/a.tfrecord").status();
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  EXPECT_THAT(status,
              StatusIs(StatusCode::kPermissionDenied, HasSubstr("a.tfrecord")));
  EXPECT_THAT(LocalFiles().List(locked).value(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace penstock::testing
