// Archives as corpora: what comes out of whole ones.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "formats/archives/archive_reader.h"
#include "formats/open.h"
#include "tests/formats/archives/archive_fixture.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A member of each kind.
const std::vector<PackedFile>& Corpus() {
  static const std::vector<PackedFile> entries = {
      {"dir/", "", AE_IFDIR},
      {"dir/a.txt", "one\nmore\n\ntwo\n"},
      {"dir/b.jsonl", "\n{\"text\": \"three\"}\n{\"text\": \"four\"}\n"},
      {"c.csv", "id,text\n1,five\n2,\"six\nlines\"\n"},
      {"d.tsv", "text\tid\nseven\t1\n"},
      {"src/main.py", "print('eight')\n"},
      {"LICENSE", "nine"},
      {"empty.txt", ""},
      {"empty", ""},
      {"dir/e.jsonl.gz", Gzip("{\"text\": \"ten\"}\n")},
  };
  return entries;
}

void ExpectCorpus(const ReadOut& out, const std::string& name) {
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one\nmore", "two", "three", "four",
                                       "five", "six\nlines", "seven",
                                       "print('eight')\n", "nine", "ten"));
  std::vector<std::string> places;
  for (const std::string& place : out.places) places.push_back(Base(place));
  EXPECT_THAT(places,
              ElementsAre(name + "!dir/a.txt:1", name + "!dir/a.txt:4",
                          name + "!dir/b.jsonl:2", name + "!dir/b.jsonl:3",
                          name + "!c.csv:2", name + "!c.csv:3",
                          name + "!d.tsv:2", name + "!src/main.py",
                          name + "!LICENSE", name + "!dir/e.jsonl.gz:1"));
}

TEST(ArchiveTest, EachMemberIsReadByItsNameInEachFormat) {
  const std::string tar = Tar(Corpus());
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{
           {"c.tar", tar},
           {"c.tar.gz", Gzip(tar)},
           {"c.tgz", Gzip(tar)},
           {"c.tar.zst", Zstd(tar)},
           {"c.zip", Zip(Corpus())},
           {"c.zip", Zip(Corpus(), "compression=store")}}) {
    SCOPED_TRACE(name);
    ExpectCorpus(ReadAs(name, bytes), name);
  }
}

TEST(ArchiveTest, SevenZipMembersAreReadWithEachCodec) {
  for (const char* codec : {"compression=lzma2", "compression=deflate",
                            "compression=bzip2", "compression=store"}) {
    SCOPED_TRACE(codec);
    const ReadOut out = ReadAs("c.7z", SevenZip(Corpus(), codec));
    ExpectCorpus(out, "c.7z");
  }
}

TEST(ArchiveTest, OtherTarDialectsAreRead) {
  for (const SetFormat format :
       {&archive_write_set_format_gnutar, &archive_write_set_format_ustar,
        &archive_write_set_format_pax, &archive_write_set_format_v7tar}) {
    ExpectCorpus(ReadAs("c.tar", Pack(format, Corpus())), "c.tar");
  }
}

TEST(ArchiveTest, LargeMembersAndManySmallOnesComeWhole) {
  std::vector<PackedFile> entries;
  std::vector<std::string> expected;
  for (int i = 0; i < 700; ++i) {
    expected.push_back(std::string(i * 7 % 3000 + 1, 'a' + i % 26));
    entries.push_back({"d/" + std::to_string(i), expected.back()});
  }
  expected.push_back(std::string(1'500'000, 'L'));
  entries.push_back({"large", expected.back()});
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{
           {"c.tar", Tar(entries)},
           {"c.tar.zst", Zstd(Tar(entries))},
           {"c.zip", Zip(entries)},
           {"c.7z", SevenZip(entries)}}) {
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_OK(out.status);
    EXPECT_EQ(out.records, expected) << name;
    EXPECT_EQ(Base(out.places.back()), name + "!large");
  }
}

// What was found before them must not be lost while they are passed over.
TEST(ArchiveTest, MembersAroundLargeOnesThatAreLeftOutComeWhole) {
  std::vector<PackedFile> entries;
  std::vector<std::string> expected;
  for (int i = 0; i < 300; ++i) {
    expected.push_back(std::string(i * 37 % 3000 + 1, 'a' + i % 26));
    entries.push_back({"d/" + std::to_string(i), expected.back()});
    if (i % 100 == 50) {
      entries.push_back({"large", std::string(900'000, 'z')});
    }
  }
  const std::string tar = Tar(entries);
  MemoryFiles files(tar);
  const auto use = [](std::string_view name) -> StatusOr<MemberUse> {
    return name == "large" ? MemberUse::kSkip : MemberUse::kWhole;
  };
  const ReadOut out = ReadAll(OpenArchive(files, "c.tar", {.use = use}));
  EXPECT_OK(out.status);
  EXPECT_TRUE(out.records == expected);
}

TEST(ArchiveTest, MemberKindGoesBeforeNames) {
  const std::string tar = Tar({{"a.json", "{\"text\": \"x\"}\n"}, {"b", "y"}});
  EXPECT_THAT(ReadAs("c.tar", tar).records,
              ElementsAre("{\"text\": \"x\"}\n", "y"));
  const ReadOut out = ReadAs("c.tar", tar, {.member_kind = FileKind::kJsonl});
  EXPECT_THAT(out.records, ElementsAre("x"));
  EXPECT_THAT(out.status, StatusIs(kDataLoss, HasSubstr("c.tar!b:1: ")));
}

TEST(ArchiveTest, OtherMembersAreSkippedOrRefusedWhereAsked) {
  const std::string tar =
      Tar({{"a.txt", "x"}, {"LICENSE", "y"}, {"n.zip", "PK"}});
  std::vector<std::string> skipped;
  const auto note = [&](std::string_view name, std::string_view reason) {
    skipped.push_back(std::string(name) + ": " + std::string(reason));
  };
  const ReadOut out =
      ReadAs("c.tar", tar,
             {.other_members = OtherMembers::kSkip, .on_skipped_member = note});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("x"));
  EXPECT_THAT(skipped, ElementsAre("LICENSE: name that says no kind",
                                   "n.zip: archive in an archive"));
  EXPECT_THAT(
      ReadAs("c.tar", tar, {.other_members = OtherMembers::kRefuse}).status,
      StatusIs(kInvalid, AllOf(HasSubstr("c.tar: LICENSE: "),
                               HasSubstr("does not say what the file is"))));
}

TEST(ArchiveTest, ArchivesInsideArchivesAreRefused) {
  for (const char* inner : {"x.tar.gz", "x.zip", "x.7z", "x.tfrecord"}) {
    const ReadOut out =
        ReadAs("c.tar", Tar({{"a.txt", "x"}, {inner, "bytes"}}));
    EXPECT_THAT(out.records, ElementsAre("x"));
    EXPECT_THAT(
        out.status,
        StatusIs(kUnimplemented, AllOf(HasSubstr(std::string("c.tar!") + inner),
                                       HasSubstr("inside an archive"))));
  }
  EXPECT_THAT(ReadAs("c.zip.gz", Gzip(Zip({{"a.txt", "x"}}))).status,
              StatusIs(kUnimplemented, HasSubstr("a zip inside gzip")));
}

// Only regular files hold records; nothing else vanishes without a word.
TEST(ArchiveTest, SpecialEntriesAreSkippedAndTold) {
  std::vector<std::string> skipped;
  const auto note = [&](std::string_view name, std::string_view reason) {
    skipped.push_back(std::string(name) + ": " + std::string(reason));
  };
  const std::string tar = Tar({{"a.txt", "x"},
                               {"d", "", AE_IFDIR},
                               {"s.txt", "", AE_IFLNK, "a.txt"},
                               {"h.txt", "", AE_IFREG, "", "a.txt"},
                               {"c", "", AE_IFCHR},
                               {"b", "", AE_IFBLK},
                               {"p", "", AE_IFIFO},
                               {"z.txt", "y"}});
  const ReadOut out = ReadAs("c.tar", tar, {.on_skipped_member = note});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("x", "y"));
  EXPECT_THAT(skipped, ElementsAre("s.txt: symbolic link", "h.txt: hard link",
                                   "c: device", "b: device", "p: pipe"));
}

TEST(ArchiveTest, SparseFilesAreSkippedAndTold) {
  std::vector<std::string> skipped;
  const auto note = [&](std::string_view name, std::string_view reason) {
    skipped.push_back(std::string(name) + ": " + std::string(reason));
  };
  // A pax 0.1 sparse file: one block of 512 bytes in a file of 1 MiB.
  const std::string map = "GNU.sparse.map=0,512\n";
  const std::string size = "GNU.sparse.size=1048576\n";
  const auto record = [](const std::string& text) {
    size_t length = text.size() + 3;
    if (std::to_string(length).size() > 2) ++length;
    return std::to_string(length) + " " + text;
  };
  std::string pax = record(map) + record(size);
  char field[12];
  std::snprintf(field, sizeof(field), "%011zo", pax.size());
  const std::string header = TarHeader("PaxHeaders/s", field, 'x');
  pax.resize(512);
  const std::string tar = header + pax + TarHeader("s.txt", "00000001000") +
                          std::string(512, 'q') + Tar({{"z.txt", "y"}});
  const ReadOut out = ReadAs("c.tar", tar, {.on_skipped_member = note});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("y"));
  EXPECT_THAT(skipped, ElementsAre("s.txt: sparse file"));
}

TEST(ArchiveTest, PaxGlobalHeadersAndLongNamesAreHonoured) {
  const std::string name =
      std::string(300, 'n') + "/" + std::string(250, 'm') + ".txt";
  std::string global = "19 comment=git-abc\n";
  char field[12];
  std::snprintf(field, sizeof(field), "%011zo", global.size());
  const std::string header = TarHeader("pax_global_header", field, 'g');
  global.resize(512);
  for (const SetFormat format :
       {&archive_write_set_format_gnutar, &archive_write_set_format_pax}) {
    const ReadOut out =
        ReadAs("c.tar", header + global + Pack(format, {{name, "x"}}));
    EXPECT_OK(out.status);
    EXPECT_THAT(out.places, ElementsAre(HasSubstr("c.tar!" + name + ":1")));
  }
}

TEST(ArchiveTest, MembersOverALimitNameTheLimit) {
  const std::string tar = Tar({{"a.txt", "x"}, {"b.txt", "123456"}});
  ReadOut out =
      ReadAs("c.tar", tar, {.archive_limits = {.max_member_bytes = 5}});
  EXPECT_THAT(out.records, ElementsAre("x"));
  EXPECT_THAT(out.status,
              StatusIs(kExhausted, AllOf(HasSubstr("c.tar!b.txt: has 6 bytes"),
                                         HasSubstr("raise max_member_bytes"))));
  out = ReadAs("c.tar", tar, {.archive_limits = {.max_members = 1}});
  EXPECT_THAT(out.status, StatusIs(kExhausted, HasSubstr("raise max_members")));
  out = ReadAs("c.zip", Zip({{"a.txt", "x"}, {"b.txt", "y"}}),
               {.archive_limits = {.max_members = 1}});
  EXPECT_THAT(out.status, StatusIs(kExhausted, HasSubstr("raise max_members")));
  out = ReadAs("c.tar", Tar({{"LICENSE", "123456"}}), {.max_record_bytes = 5});
  EXPECT_THAT(out.status,
              StatusIs(kExhausted, AllOf(HasSubstr("c.tar!LICENSE"),
                                         HasSubstr("raise max_record_bytes"))));
}

TEST(ArchiveTest, ArchivesWithoutEntriesAreRefused) {
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{
           {"c.tar", std::string(10240, '\0')},
           {"c.tar.gz", Gzip(std::string(2'000'000, '\0'))},
           {"c.zip", Zip({})},
           {"c.7z", SevenZip({})}}) {
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_THAT(out.records, IsEmpty());
    EXPECT_THAT(out.status, StatusIs(kInvalid, HasSubstr("holds no entries")))
        << name;
  }
}

TEST(ArchiveTest, FilesThatAreNoSuchArchiveAreRefused) {
  const std::string text = "just some text that is long enough to be seen\n";
  const std::string tar = Tar({{"a.txt", "x"}});
  for (const auto& [name, bytes, words] :
       std::vector<std::tuple<std::string, std::string, std::string>>{
           {"c.tar", "", "is empty"},
           {"c.zip", "", "is empty"},
           {"c.7z", "", "7z"},
           {"c.tar", text, "looks like text"},
           {"c.tar.gz", Gzip(text), "looks like text"},
           {"c.tar.gz", text, "is not gzip"},
           {"c.tar.gz", tar, "is not gzip"},
           {"c.tar", Gzip(tar), "looks like gzip"},
           {"c.tar", Zip({{"a", "x"}}), "looks like a zip archive"},
           {"c.tar.gz", Zip({{"a", "x"}}), "looks like a zip archive"},
           {"c.tar.gz", Gzip(Gzip(tar)), "looks like gzip"},
           {"c.zip", tar, "is not a zip archive"},
           {"c.zip", text, "looks like text"},
           {"c.7z", text, "is not a 7z archive"}}) {
    SCOPED_TRACE(name + " " + words);
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_THAT(out.records, IsEmpty());
    EXPECT_THAT(out.status,
                StatusIs(kInvalid, AllOf(HasSubstr(name), HasSubstr(words))));
  }
  EXPECT_THAT(ReadAs("c.tar.gz", Gzip("")).status,
              StatusIs(kInvalid, HasSubstr("is empty")));
}

class BadMembers {
 public:
  OnBadPart LeaveOut() {
    return [this](BadPart part, const Status& status) {
      said_.push_back(fmt::format("{}: {}", BadPartName(part),
                                  std::string(status.message())));
      return OkStatus();
    };
  }
  const std::vector<std::string>& said() const { return said_; }

 private:
  std::vector<std::string> said_;
};

TEST(ArchiveTest, ABadMemberCostsOneMemberWhereItMayBeLeftOut) {
  const std::vector<PackedFile> entries = {{"a.txt", "one"},
                                           {"bad.jsonl.gz", "no gzip"},
                                           {"b.txt", "two"},
                                           {"../up.txt", "no name"},
                                           {"wide.txt",
                                            "\xff\xfe"
                                            "a"},
                                           {"long.txt", std::string(5000, 'x')},
                                           {"c.txt", "three"}};
  for (const auto& [name, bytes] :
       {std::pair("c.tar", Tar(entries)), std::pair("c.zip", Zip(entries))}) {
    BadMembers bad;
    const ReadOut out = ReadAs(name, bytes,
                               {.on_bad_part = bad.LeaveOut(),
                                .archive_limits = {.max_member_bytes = 4000}});
    EXPECT_OK(out.status);
    EXPECT_THAT(out.records, ElementsAre("one", "two", "three")) << name;
    EXPECT_THAT(
        bad.said(),
        ElementsAre(HasSubstr("!bad.jsonl.gz"), HasSubstr("\"..\" part"),
                    HasSubstr("!wide.txt: the file is UTF-16LE"),
                    HasSubstr("!long.txt: has 5000 bytes")));
  }
}

TEST(ArchiveTest, AFailedChecksumInAZipCostsItsMember) {
  const std::string stored =
      Zip({{"a.txt", "one"}, {"b.txt", "unlike others"}, {"c.txt", "three"}},
          "compression=store");
  std::string bytes = stored;
  bytes[bytes.find("unlike others")] ^= 1;
  BadMembers bad;
  const ReadOut out = ReadAs("c.zip", bytes, {.on_bad_part = bad.LeaveOut()});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one", "three"));
  EXPECT_THAT(bad.said(), ElementsAre(HasSubstr("member: c.zip!b.txt")));
}

// What is behind the cut cannot be told from what was there.
TEST(ArchiveTest, ATarThatIsCutOffIsNeverWhole) {
  const std::string tar = Tar({{"a.txt", "one"}, {"b.txt", "two"}});
  BadMembers bad;
  const ReadOut out = ReadAs("c.tar", std::string_view(tar).substr(0, 1026),
                             {.on_bad_part = bad.LeaveOut()});
  EXPECT_FALSE(out.status.ok());
  EXPECT_THAT(out.records, ElementsAre("one"));
}

TEST(ArchiveTest, WhatIsLeftOutIsCalledWhatItIs) {
  std::vector<std::string> left_out;
  const ReadOut out = ReadAs(
      "c.tar",
      Tar({{"a.txt", "one"},
           {"hard.txt", "", AE_IFREG, "", "a.txt"},
           {"soft.txt", "", AE_IFLNK, "a.txt"},
           {"inner.tar.gz", "x"},
           {"data.tfrecord", "x"},
           {"picture", "x"}}),
      {.other_members = OtherMembers::kSkip,
       .on_skipped_member = [&](std::string_view name, std::string_view why) {
         left_out.push_back(fmt::format("{}: {}", name, why));
       }});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one"));
  EXPECT_THAT(left_out,
              ElementsAre("hard.txt: hard link", "soft.txt: symbolic link",
                          "inner.tar.gz: archive in an archive",
                          "data.tfrecord: TFRecord file in an archive",
                          "picture: name that says no kind"));
}

TEST(ArchiveTest, OnlyMembersThatAreWantedAreRead) {
  EXPECT_THAT(
      ReadAs("c.tar", Tar({{"a/x.txt", "one"}, {"b/x.txt", "two"}}),
             {.wants_member =
                  [](std::string_view name) { return name.starts_with("b/"); }})
          .records,
      ElementsAre("two"));
}

}  // namespace
}  // namespace penstock::testing
