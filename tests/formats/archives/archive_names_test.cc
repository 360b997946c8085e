// Names in archives are keys, never paths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "formats/archives/member_name.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kMaxName = 4096;

TEST(MemberNameTest, OneFileHasOneName) {
  for (const auto& [name, normal] :
       std::vector<std::pair<std::string, std::string>>{
           {"a", "a"},
           {"./a", "a"},
           {"././a//b/./c.txt", "a/b/c.txt"},
           {"a/", "a"},
           {"...", "..."},
           {"a..b/..c", "a..b/..c"},
           {"caf\xc3\xa9.txt", "caf\xc3\xa9.txt"},
           {"a b\\c", "a b\\c"},
           {"CC:x", "CC:x"}}) {
    ASSERT_OK_AND_ASSIGN(const std::string got,
                         NormalMemberName(name, kMaxName));
    EXPECT_EQ(got, normal);
  }
}

TEST(MemberNameTest, NamesThatCouldLeadElsewhereAreRefused) {
  using std::string_literals::operator""s;
  for (const auto& [name, words] :
       std::vector<std::pair<std::string, std::string>>{
           {"", "is empty"},
           {".", "is empty"},
           {"./", "is empty"},
           {"/abs", "is absolute"},
           {"\\abs", "is absolute"},
           {"../x", "\"..\" part"},
           {"a/../x", "\"..\" part"},
           {"a/..", "\"..\" part"},
           {"a\\..\\x", "\"..\" part"},
           {"C:x", "drive letter"},
           {"z:\\x", "drive letter"},
           {"a\nb", "control byte"},
           {"a\0b"s, "control byte"},
           {"a\x7f", "control byte"},
           {"caf\xe9", "is not UTF-8"}}) {
    EXPECT_THAT(NormalMemberName(name, kMaxName),
                StatusIs(kInvalid, HasSubstr(words)))
        << name;
  }
  EXPECT_THAT(NormalMemberName(std::string(4097, 'a'), kMaxName),
              StatusIs(StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("4097"), HasSubstr("max_name_bytes"))));
}

// The same names inside archives, and nothing appears anywhere on disk.
TEST(ArchiveNamesTest, ThatLeadElsewhereEndTheArchiveAndWriteNothing) {
  for (const std::string name :
       {"../evil.txt", "/tmp/evil.txt", "C:evil.txt", "a/../../evil.txt"}) {
    const ScratchFolder folder;
    const std::vector<PackedFile> entries = {{"a.txt", "x"}, {name, "evil"}};
    std::filesystem::create_directory(folder / "in");
    folder.Write("in/c.tar", Tar(entries));
    folder.Write("in/c.zip", Zip(entries));
    folder.Write("in/c.7z", SevenZip(entries));
    for (const char* file : {"in/c.tar", "in/c.zip", "in/c.7z"}) {
      const ReadOut out = ReadAll(OpenRecords(LocalFiles(), folder / file));
      EXPECT_THAT(out.records, ElementsAre("x")) << name;
      EXPECT_THAT(out.status,
                  StatusIs(kInvalid, AllOf(HasSubstr(file), HasSubstr(name))));
    }
    size_t files = 0;
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(folder.path())) {
      files += entry.is_regular_file();
    }
    EXPECT_EQ(files, 3);
  }
  EXPECT_FALSE(std::filesystem::exists("/tmp/evil.txt"));
}

TEST(ArchiveNamesTest, BeyondAsciiAreKeptWhateverTheLocale) {
  const std::string name = "\xe6\x97\xa5\xe6\x9c\xac/caf\xc3\xa9.txt";
  // By hand, since libarchive's writers look at the locale.
  const std::string ustar =
      TarHeader(name, "00000000001") + "x" + std::string(511 + 1024, '\0');
  EXPECT_THAT(Base(ReadAs("c.tar", ustar).places.at(0)),
              "c.tar!" + name + ":1");
  const std::string record = "path=" + name + "\n";
  std::string pax = std::to_string(record.size() + 3) + " " + record;
  char field[12];
  std::snprintf(field, sizeof(field), "%011zo", pax.size());
  const std::string header = TarHeader("PaxHeaders/s", field, 'x');
  pax.resize(512);
  EXPECT_THAT(
      Base(ReadAs("c.tar", header + pax + TarHeader("short", "00000000001") +
                               "x" + std::string(511 + 1024, '\0'))
               .places.at(0)),
      "c.tar!" + name + ":1");
}

TEST(ArchiveNamesTest, NotInUtf8AreRefusedInEachForm) {
  const std::string ustar = TarHeader("caf\xe9.txt", "00000000001") + "x" +
                            std::string(511 + 1024, '\0');
  EXPECT_THAT(ReadAs("c.tar", ustar).status,
              StatusIs(kInvalid, AllOf(HasSubstr("caf\\xe9.txt"),
                                       HasSubstr("is not UTF-8"))));
  std::string zip = Zip({{"cafe.txt", "x"}}, "compression=store");
  for (size_t at = zip.find("cafe"); at != std::string::npos;
       at = zip.find("cafe", at)) {
    zip[at + 3] = '\xe9';
  }
  EXPECT_THAT(ReadAs("c.zip", zip).status,
              StatusIs(kInvalid, HasSubstr("is not UTF-8")));
}

TEST(ArchiveNamesTest, WithNulAreRefusedInZip) {
  std::string zip = Zip({{"a.txt#.png", "x"}}, "compression=store");
  for (size_t at = zip.find('#'); at != std::string::npos; at = zip.find('#')) {
    zip[at] = '\0';
  }
  EXPECT_THAT(ReadAs("c.zip", zip).status,
              StatusIs(kInvalid, HasSubstr("holds a NUL")));
}

TEST(ArchiveNamesTest, OverTheLimitNameTheLimit) {
  const std::string name(1'000'000, 'n');
  const ReadOut out =
      ReadAs("c.tar", Pack(archive_write_set_format_gnutar, {{name, "x"}}));
  EXPECT_THAT(out.records, IsEmpty());
  EXPECT_THAT(out.status, StatusIs(StatusCode::kResourceExhausted,
                                   HasSubstr("max_name_bytes")));
}

// They are all delivered: a name says where a record came from, no more.
TEST(ArchiveNamesTest, ThatComeTwiceOrDifferInCaseAreAllDelivered) {
  const std::vector<PackedFile> entries = {
      {"a.txt", "1"}, {"./a.txt", "2"}, {"A.txt", "3"}, {"a.txt", "4"}};
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{
           {"c.tar", Tar(entries)}, {"c.zip", Zip(entries)}}) {
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_OK(out.status);
    EXPECT_THAT(out.records, ElementsAre("1", "2", "3", "4"));
    EXPECT_EQ(Base(out.places[1]), name + "!a.txt:1");
  }
}

}  // namespace
}  // namespace penstock::testing
