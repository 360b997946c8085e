#include "formats/datasets/shard_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ShardNameTest, HasAtLeastFiveDigits) {
  EXPECT_EQ(ShardName("base", 3, 16), "base-00003-of-00016");
  EXPECT_EQ(ShardName("d/c4-train.tfrecord", 0, 1024),
            "d/c4-train.tfrecord-00000-of-01024");
  EXPECT_EQ(ShardName("b", 123456, 1000000), "b-123456-of-1000000");
}

class ExpandPatternTest : public ::testing::Test {
 protected:
  std::string Touch(const std::string& name) { return folder_.Write(name, ""); }
  StatusOr<std::vector<std::string>> Expand(const std::string& pattern) {
    return ExpandPattern(LocalFiles(), pattern);
  }

  ScratchFolder folder_;
};

TEST_F(ExpandPatternTest, OneFileIsItself) {
  const std::string path = Touch("a.tfrecord");
  ASSERT_OK_AND_ASSIGN(const auto paths, Expand(path));
  EXPECT_THAT(paths, ElementsAre(path));
}

TEST_F(ExpandPatternTest, AnAtSignWithoutACountIsPartOfAName) {
  for (const char* name : {"a@b", "mail@home.txt", "x@", "v@2x.png"}) {
    const std::string path = Touch(name);
    ASSERT_OK_AND_ASSIGN(const auto paths, Expand(path));
    EXPECT_THAT(paths, ElementsAre(path));
  }
}

TEST_F(ExpandPatternTest, ACountNamesAllShardsInOrder) {
  for (const char* suffix : {"", ".tfrecord"}) {
    const std::string a = Touch(std::string("t-00000-of-00003") + suffix);
    const std::string c = Touch(std::string("t-00002-of-00003") + suffix);
    const std::string b = Touch(std::string("t-00001-of-00003") + suffix);
    ASSERT_OK_AND_ASSIGN(const auto paths,
                         Expand(folder_ / "t@3" + std::string(suffix)));
    EXPECT_THAT(paths, ElementsAre(a, b, c));
  }
}

TEST_F(ExpandPatternTest, TheFirstMissingShardIsNamed) {
  Touch("t-00000-of-00003");
  Touch("t-00002-of-00003");
  EXPECT_THAT(
      Expand(folder_ / "t@3"),
      StatusIs(StatusCode::kNotFound,
               AllOf(HasSubstr("t-00001-of-00003"), HasSubstr("shard 1 of"))));
}

TEST_F(ExpandPatternTest, AGlobGivesItsMatchesSorted) {
  for (const char* name : {"b2.x", "b10.x", "b1.x", "c1.x", "b1.y"})
    Touch(name);
  ASSERT_OK_AND_ASSIGN(auto paths, Expand(folder_ / "b*.x"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "b1.x", folder_ / "b10.x",
                                 folder_ / "b2.x"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / "?1.?"));
  EXPECT_THAT(
      paths, ElementsAre(folder_ / "b1.x", folder_ / "b1.y", folder_ / "c1.x"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / "*1*0*"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "b10.x"));
}

TEST_F(ExpandPatternTest, AGlobTakesNoIndexNoHiddenFileAndNoFolder) {
  for (const char* name : {"t-0", "t-0.index", ".t-0.tmp"}) Touch(name);
  std::filesystem::create_directory(folder_ / "t-folder");
  ASSERT_OK_AND_ASSIGN(auto paths, Expand(folder_ / "*"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "t-0"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / "*.index"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "t-0.index"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / ".*"));
  EXPECT_THAT(paths, ElementsAre(folder_ / ".t-0.tmp"));
}

TEST_F(ExpandPatternTest, SeveralPatternsKeepTheirOrder) {
  const std::string z = Touch("z");
  const std::string a = Touch("a-00000-of-00001");
  ASSERT_OK_AND_ASSIGN(const auto paths, Expand(z + "," + folder_ / "a@1"));
  EXPECT_THAT(paths, ElementsAre(z, a));
}

TEST_F(ExpandPatternTest, MissingFilesAreNamed) {
  EXPECT_THAT(Expand(folder_ / "no.tfrecord"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no.tfrecord")));
  EXPECT_THAT(Expand(folder_ / "no*.tfrecord"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no*.tfrecord")));
  EXPECT_THAT(Expand(folder_ / "no/*"),
              StatusIs(StatusCode::kNotFound, HasSubstr("no/")));
}

TEST_F(ExpandPatternTest, AFolderIsRefusedWithAHint) {
  EXPECT_THAT(Expand(folder_.path()),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("is a folder"),
                             HasSubstr("\"" + folder_.path() + "/*\""))));
}

TEST_F(ExpandPatternTest, BadPatternsAreRefused) {
  Touch("a");
  for (const std::string& pattern :
       {std::string(), folder_ / "a,", std::string(","), folder_ / "a@0",
        folder_ / "a@4294967296", folder_ / "@3", folder_.path() + "*/a"}) {
    EXPECT_THAT(Expand(pattern), StatusIs(StatusCode::kInvalidArgument,
                                          HasSubstr("bad file pattern")))
        << pattern;
  }
}

}  // namespace
}  // namespace penstock::testing
