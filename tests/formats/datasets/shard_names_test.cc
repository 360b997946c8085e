#include "formats/datasets/shard_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "formats/datasets/glob.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
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

TEST_F(ExpandPatternTest, TwoGenerationsTogetherAreToldAndTakenIfAskedFor) {
  for (int i = 0; i < 4; ++i) Touch(ShardName("a.tfrecord", i, 4));
  for (int i = 0; i < 8; ++i) Touch(ShardName("a.tfrecord", i, 8));
  Touch("b.tfrecord-00000-of-00001");
  for (const char* glob : {"*", "a.tfrecord*", "a*-0000?-of-0000?"}) {
    EXPECT_THAT(Expand(folder_ / glob),
                StatusIs(StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("2 generations of"),
                               HasSubstr("a.tfrecord together (4 of 00004, 8 "
                                         "of 00008)"),
                               HasSubstr("a.tfrecord@8"))));
    ASSERT_OK_AND_ASSIGN(const auto both,
                         ExpandPattern(LocalFiles(), folder_ / glob,
                                       {.generations = Generations::kAny}));
    EXPECT_GE(both.size(), 12u);
  }
  ASSERT_OK_AND_ASSIGN(const auto one, Expand(folder_ / "*-of-00004"));
  EXPECT_EQ(one.size(), 4u);
  ASSERT_OK_AND_ASSIGN(const auto each, Expand(folder_ / "a*-of-00004," +
                                               folder_ / "a*-of-00008"));
  EXPECT_EQ(each.size(), 12u);
}

TEST_F(ExpandPatternTest, DatasetsOfOtherNamesMayHaveOtherNumbersOfShards) {
  for (const char* base : {"a-train.tfrecord", "a-test.tfrecord"}) {
    const int shards = base[2] == 't' && base[3] == 'r' ? 3 : 1;
    for (int i = 0; i < shards; ++i) Touch(ShardName(base, i, shards));
  }
  ASSERT_OK_AND_ASSIGN(const auto paths, Expand(folder_ / "a-*"));
  EXPECT_EQ(paths.size(), 4u);
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

TEST_F(ExpandPatternTest, GlobsMatchFoldersAndAnyDepthToo) {
  for (const char* name : {"d", "d/e", "d/e/.git", "x"}) {
    std::filesystem::create_directory(folder_ / name);
  }
  for (const char* name :
       {"a.x", "d/b.x", "d/e/c.x", "d/e/.git/g.x", "x/y.z"}) {
    Touch(name);
  }
  // A loop, and a second way to the same files.
  std::filesystem::create_directory_symlink(folder_.path(), folder_ / "d/up");
  std::filesystem::create_directory_symlink(folder_ / "d/e", folder_ / "x/e");
  ASSERT_OK_AND_ASSIGN(auto paths, Expand(folder_ / "**/*.x"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "a.x", folder_ / "d/b.x",
                                 folder_ / "d/e/c.x"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / "*/b.x"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "d/b.x"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / "d/**/c.x"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "d/e/c.x"));
  ASSERT_OK_AND_ASSIGN(paths, Expand(folder_ / "x/**"));
  EXPECT_THAT(paths, ElementsAre(folder_ / "x/e/c.x", folder_ / "x/y.z"));
  EXPECT_THAT(Expand(folder_ / "**/no"),
              StatusIs(StatusCode::kNotFound, HasSubstr("**/no")));
}

TEST(PathMatchesTest, PartsMatchOneByOneAndTwoStarsAnyNumberOfThem) {
  for (const auto& [path, pattern] :
       {std::pair("a/b/c.txt", "a/*/c.txt"), std::pair("a/b/c.txt", "**/c.txt"),
        std::pair("c.txt", "**/c.txt"), std::pair("a/b/c.txt", "a/**"),
        std::pair("a/b/c/d.txt", "a/**/*.txt"), std::pair("a", "**/**/a")}) {
    EXPECT_TRUE(PathMatches(path, pattern)) << path << " " << pattern;
  }
  for (const auto& [path, pattern] :
       {std::pair("a/b/c.txt", "*.txt"), std::pair("a/b/c.txt", "a/*.txt"),
        std::pair("a/b", "a"), std::pair("b/a", "a/**")}) {
    EXPECT_FALSE(PathMatches(path, pattern)) << path << " " << pattern;
  }
}

TEST_F(ExpandPatternTest, AGlobTakesNoIndexNoHiddenFileAndNoFolder) {
  for (const char* name : {"t-0", "t-0.index", ".t-0.index", ".t-0.tmp"})
    Touch(name);
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
        folder_ / "a@4294967296", folder_ / "@3"}) {
    EXPECT_THAT(Expand(pattern), StatusIs(StatusCode::kInvalidArgument,
                                          HasSubstr("bad file pattern")))
        << pattern;
  }
}

}  // namespace
}  // namespace penstock::testing
