#include "formats/archives/webdataset_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/formats/archives/archive_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReadOut Read(const std::vector<PackedFile>& entries, OpenOptions options = {}) {
  options.kind = FileKind::kWebDataset;
  return ReadAs("w.tar", Tar(entries), std::move(options));
}

TEST(WebDatasetTest, TheRecordIsOneComponentOfEachSample) {
  const std::vector<PackedFile> entries = {
      {"0001.jpg", "image"}, {"0001.txt", "one"},   {"0001.seg.png", "seg"},
      {"0002.txt", "two"},   {"0002.jpg", "image"}, {"d.x/0001.txt", "three"},
      {"d.x/0001.cls", "7"}};
  ReadOut out = Read(entries);
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one", "two", "three"));
  EXPECT_THAT(out.places, ElementsAre("w.tar!0001.txt", "w.tar!0002.txt",
                                      "w.tar!d.x/0001.txt"));
  out = Read({entries.begin(), entries.begin() + 3},
             {.sample_extension = "seg.png"});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("seg"));
}

TEST(WebDatasetTest, MembersThatAreNotWantedAreOfNoSample) {
  const ReadOut out = Read({{"a.jpg", "image"},
                            {"a.txt", "one"},
                            {"b.txt", "two"},
                            {"b.jpg", "image"},
                            {"c.txt", "three"}},
                           {.wants_member = [](std::string_view name) {
                             return !name.starts_with("b");
                           }});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("one", "three"));
}

TEST(WebDatasetTest, CompressedTarsAndManySamplesAreReadInBlocks) {
  std::vector<PackedFile> entries;
  std::vector<std::string> expected;
  for (int i = 0; i < 900; ++i) {
    expected.push_back(std::string(i * 37 % 3000, 'a' + i % 26));
    entries.push_back({std::to_string(i) + ".txt", expected.back()});
    entries.push_back({std::to_string(i) + ".bin", "other"});
  }
  const ReadOut out =
      ReadAs("w.tar.gz", Gzip(Tar(entries)), {.kind = FileKind::kWebDataset});
  EXPECT_OK(out.status);
  EXPECT_EQ(out.records, expected);
  EXPECT_EQ(out.places.back(), "w.tar.gz!899.txt");
}

TEST(WebDatasetTest, ExtensionsAreTheSameInAnyCase) {
  const ReadOut out =
      Read({{"a.JPG", "i"}, {"a.TXT", "x"}}, {.sample_extension = "Txt"});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("x"));
}

// WebDataset would make two samples of it, each with half of the components.
TEST(WebDatasetTest, AKeyThatComesAgainIsAnError) {
  const ReadOut out =
      Read({{"a.txt", "1"}, {"b.txt", "2"}, {"c.txt", "3"}, {"a.jpg", "i"}});
  EXPECT_THAT(out.records, ElementsAre("1", "2", "3"));
  EXPECT_THAT(
      out.status,
      StatusIs(kDataLoss,
               AllOf(HasSubstr("w.tar: key \"a\" reappears at member 3 after "
                               "its sample was complete"),
                     HasSubstr("sort the tar"))));
}

TEST(WebDatasetTest, ASampleWithoutTheComponentIsAnError) {
  const ReadOut out = Read({{"a.txt", "1"}, {"b.jpg", "i"}, {"b.json", "{}"}});
  EXPECT_THAT(out.records, ElementsAre("1"));
  EXPECT_THAT(out.status,
              StatusIs(kInvalid, HasSubstr("w.tar: sample \"b\" has no "
                                           "\".txt\"; it has \".jpg\", "
                                           "\".json\"")));
}

TEST(WebDatasetTest, AComponentThatComesTwiceIsAnError) {
  for (const char* again : {"a.txt", "a.TXT", "./a.txt"}) {
    const ReadOut out = Read({{"a.txt", "1"}, {again, "2"}});
    EXPECT_THAT(out.records, IsEmpty());
    EXPECT_THAT(out.status,
                StatusIs(kDataLoss, HasSubstr("sample \"a\" has \".txt\" "
                                              "twice, again at member 1")));
  }
}

TEST(WebDatasetTest, MembersOfNoSampleAreTold) {
  std::vector<std::string> skipped;
  const auto note = [&](std::string_view name, std::string_view reason) {
    skipped.push_back(std::string(name) + ": " + std::string(reason));
  };
  const ReadOut out = Read({{"README", "x"},
                            {"d.x/noext", "x"},
                            {"a.txt", "1"},
                            {".hidden", "x"},
                            {"__meta__.json", "{}"},
                            {"a.jpg", "i"}},
                           {.on_skipped_member = note});
  EXPECT_OK(out.status);
  EXPECT_THAT(out.records, ElementsAre("1"));
  EXPECT_THAT(skipped, ElementsAre("README: belongs to no sample",
                                   "d.x/noext: belongs to no sample",
                                   ".hidden: belongs to no sample",
                                   "__meta__.json: belongs to no sample"));
}

TEST(WebDatasetTest, ACutTarDeliversOnlyCompleteSamples) {
  const std::string tar = Tar({{"a.txt", "1"}, {"a.jpg", "i"}, {"b.txt", "2"}});
  for (size_t size = 0; size < tar.size(); size += 13) {
    const ReadOut out =
        ReadAs("w.tar", tar.substr(0, size), {.kind = FileKind::kWebDataset});
    EXPECT_FALSE(out.status.ok()) << size;
    if (size < 2 * 1024) {
      EXPECT_THAT(out.records, IsEmpty()) << size;
    }
  }
}

TEST(WebDatasetTest, TooLongComponentsNameTheLimit) {
  EXPECT_THAT(Read({{"a.txt", "123"}}, {.max_record_bytes = 2}).status,
              StatusIs(StatusCode::kResourceExhausted,
                       AllOf(HasSubstr("w.tar!a.txt"),
                             HasSubstr("raise max_record_bytes"))));
}

}  // namespace
}  // namespace penstock::testing
