// Archives that are cut off, damaged or made to harm.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tests/formats/archives/archive_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::vector<PackedFile>& Small() {
  static const std::vector<PackedFile> entries = {
      {"a.txt", "alpha alpha alpha alpha alpha alpha\n"},
      {"d/b.txt", "beta"},
      {"LICENSE", "gamma gamma gamma gamma gamma gamma"}};
  return entries;
}

const std::vector<std::string> kSmallRecords = {
    "alpha alpha alpha alpha alpha alpha", "beta",
    "gamma gamma gamma gamma gamma gamma"};

// Where everything has a checksum: either all records come, or an error, or a
// member that is told to have been left out; and before an error only records
// as they were, where `verified_first` says that members have checksums.
void ExpectNoSilentDamage(const std::string& name, const std::string& bytes,
                          bool verified_first) {
  int skipped = 0;
  const ReadOut out = ReadAs(
      name, bytes, {.on_skipped_member = [&](auto, auto) { ++skipped; }});
  if (out.status.ok() && skipped == 0) {
    EXPECT_EQ(out.records, kSmallRecords);
  }
  if (!verified_first) return;
  size_t next = 0;
  for (const std::string& record : out.records) {
    while (next < kSmallRecords.size() && kSmallRecords[next] != record) ++next;
    EXPECT_LT(next, kSmallRecords.size()) << "wrong record " << record;
  }
}

struct Wrapped {
  std::string name;
  std::string bytes;
  bool verified_first;
};

std::vector<Wrapped> AllWithChecksums() {
  return {{"c.tar.gz", Gzip(Tar(Small())), false},
          {"c.tar.zst", Zstd(Tar(Small())), false},
          {"c.zip", Zip(Small()), true},
          {"c.zip", Zip(Small(), "compression=store"), true},
          {"c.7z", SevenZip(Small()), true}};
}

TEST(ArchiveDamageTest, NoChangedByteGoesUnnoticedWhereThereAreChecksums) {
  for (const Wrapped& archive : AllWithChecksums()) {
    for (size_t i = 0; i < archive.bytes.size(); i += kCaseStride) {
      for (const int change : {0x01, 0x10, 0x80, 0xff}) {
        SCOPED_TRACE(archive.name + " byte " + std::to_string(i) + " xor " +
                     std::to_string(change));
        std::string bad = archive.bytes;
        bad[i] = static_cast<char>(bad[i] ^ change);
        ExpectNoSilentDamage(archive.name, bad, archive.verified_first);
      }
    }
  }
}

TEST(ArchiveDamageTest, NoErrorNamesAnErrorCodeForAnOffset) {
  for (const Wrapped& archive : {Wrapped{"c.tar", Tar(Small()), false},
                                 {"c.zip", Zip(Small()), true},
                                 {"c.7z", SevenZip(Small()), true}}) {
    for (size_t i = 0; i < archive.bytes.size(); i += kCaseStride) {
      std::string bad = archive.bytes;
      bad[i] = static_cast<char>(bad[i] ^ 0xff);
      for (const std::string& damaged : {archive.bytes.substr(0, i), bad}) {
        const ReadOut out = ReadAs(archive.name, damaged);
        const std::string message(out.status.message());
        const size_t place = message.find("at offset ");
        if (place == std::string::npos) continue;
        EXPECT_LT(std::stoull(message.substr(place + 10)), uint64_t{1} << 63)
            << message;
      }
    }
  }
}

TEST(ArchiveDamageTest, NoCutGoesUnnoticed) {
  std::vector<Wrapped> archives = AllWithChecksums();
  archives.push_back({"c.tar", Tar(Small()), true});
  for (const Wrapped& archive : archives) {
    for (size_t size = 0; size < archive.bytes.size(); size += kCaseStride) {
      const ReadOut out = ReadAs(archive.name, archive.bytes.substr(0, size));
      EXPECT_FALSE(out.status.ok()) << archive.name << " cut to " << size;
      EXPECT_THAT(out.status.message(), HasSubstr(archive.name));
      for (size_t i = 0; i < out.records.size(); ++i) {
        EXPECT_EQ(out.records[i], kSmallRecords[i]);
      }
    }
  }
}

// There is no checksum over content in a tar: headers only.
TEST(ArchiveDamageTest, AnyByteChangedInATarIsReadOrRefused) {
  const std::string tar = Tar(Small());
  for (size_t i = 0; i < tar.size(); i += kCaseStride) {
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string bad = tar;
      bad[i] = static_cast<char>(bad[i] ^ change);
      const ReadOut out = ReadAs("c.tar", bad);
      if (out.status.ok()) {
        EXPECT_EQ(out.records.size(), 3) << i;
      }
    }
  }
}

TEST(ArchiveDamageTest, AGzipChecksumThatIsWrongIsSaidAfterTheMembers) {
  std::string bytes = Gzip(Tar(Small()));
  bytes[bytes.size() - 8] ^= 1;
  EXPECT_THAT(ReadAs("c.tar.gz", bytes).status,
              StatusIs(kDataLoss, HasSubstr("c.tar.gz: gzip CRC mismatch")));
}

TEST(ArchiveDamageTest, JoinedGzipMembersAreReadWhole) {
  const std::string tar = Tar(Small());
  const std::string joined = Gzip(tar.substr(0, 700)) + Gzip(tar.substr(700));
  const ReadOut out = ReadAs("c.tar.gz", joined);
  EXPECT_OK(out.status);
  EXPECT_EQ(out.records, kSmallRecords);
  // libarchive alone would read half of this and say nothing.
  const std::string padded =
      Gzip(tar.substr(0, 700)) + std::string(512, '\0') + Gzip(tar.substr(700));
  EXPECT_THAT(ReadAs("c.tar.gz", padded).status,
              StatusIs(kDataLoss, HasSubstr("no gzip data after its end")));
  EXPECT_OK(ReadAs("c.tar.gz", Gzip(tar) + std::string(512, '\0')).status);
}

TEST(ArchiveDamageTest, ATarCutBetweenMembersIsRefusedUnlessAllowed) {
  const std::string whole = Tar(Small());
  const size_t end = whole.size() - 1024;
  for (const size_t left : {0, 512}) {
    const std::string cut = whole.substr(0, end + left);
    ReadOut out = ReadAs("c.tar", cut);
    EXPECT_EQ(out.records, kSmallRecords);
    EXPECT_THAT(
        out.status,
        StatusIs(kDataLoss, AllOf(HasSubstr("c.tar: "), HasSubstr("1024 zero"),
                                  HasSubstr(std::to_string(end)),
                                  HasSubstr("kMayBeMissing"))));
    out = ReadAs("c.tar", cut, {.tar_end = TarEnd::kMayBeMissing});
    EXPECT_OK(out.status);
    EXPECT_EQ(out.records, kSmallRecords);
  }
}

TEST(ArchiveDamageTest, JoinedTarsAreRefusedInsteadOfHalfRead) {
  const std::string tar = Tar(Small());
  EXPECT_THAT(ReadAs("c.tar", tar + tar).status,
              StatusIs(kDataLoss, HasSubstr("follow the end of the tar")));
  EXPECT_OK(ReadAs("c.tar", tar + std::string(9000, '\0')).status);
}

TEST(ArchiveDamageTest, ATarHeaderChecksumNamesTheMemberBefore) {
  std::string tar = Tar(Small());
  const size_t second = tar.find("d/b.txt");
  tar[second] ^= 1;
  const ReadOut out = ReadAs("c.tar", tar);
  EXPECT_THAT(out.records, ElementsAre(kSmallRecords[0]));
  EXPECT_THAT(out.status,
              StatusIs(kDataLoss, AllOf(HasSubstr("c.tar: damaged"),
                                        HasSubstr("offset 1024"),
                                        HasSubstr("after member \"a.txt\""))));
  tar = Tar(Small());
  tar[0] ^= 1;
  EXPECT_THAT(ReadAs("c.tar", tar).status,
              StatusIs(kDataLoss, HasSubstr("header fails its checksum")));
}

TEST(ArchiveDamageTest, TarSizesThatCannotBeTakeNoMemory) {
  const auto read = [](std::string_view size_field) {
    return ReadAs("c.tar",
                  TarHeader("a.txt", size_field) + std::string(2048, 'x'));
  };
  // 8^11 - 1 bytes.
  EXPECT_THAT(read("77777777777").status,
              StatusIs(kExhausted, HasSubstr("max_member_bytes")));
  // Base 256: 2^63, and -1.
  EXPECT_FALSE(
      read(std::string_view("\x80\0\0\0\x80\0\0\0\0\0\0\0", 12)).status.ok());
  EXPECT_THAT(read(std::string(12, '\xff')).status,
              StatusIs(kDataLoss, HasSubstr("c.tar")));
  // Larger than the file, but under the limit.
  const ReadOut out = read("00010000000");
  EXPECT_THAT(out.records, IsEmpty());
  EXPECT_THAT(out.status, StatusIs(kDataLoss, HasSubstr("c.tar!a.txt: ")));
}

TEST(ArchiveDamageTest, BombsStopAtTheRatio) {
  const std::string zeros(24 << 20, '\0');
  const std::string tar =
      TarHeader("z.bin", "00140000000") + zeros + std::string(1024, '\0');
  for (const auto& [name, bytes] :
       std::vector<std::pair<std::string, std::string>>{
           {"c.tar.zst", Zstd(tar)}, {"c.txt.zst", Zstd(zeros)}}) {
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_THAT(out.records, IsEmpty());
    EXPECT_THAT(out.status,
                StatusIs(kExhausted, AllOf(HasSubstr(name), HasSubstr("ratio"),
                                           HasSubstr("> 2000"))));
  }
  EXPECT_OK(ReadAs("c.tar.zst", Zstd(tar), {.unpack = {.max_ratio = 100'000}})
                .status);
  EXPECT_THAT(
      ReadAs("c.tar.gz", Gzip(tar), {.unpack = {.max_total_bytes = 1000}})
          .status,
      StatusIs(kExhausted, HasSubstr("max_total_bytes")));
  EXPECT_THAT(ReadAs("c.7z", SevenZip({{"z.bin", zeros}})).status,
              StatusIs(kExhausted, HasSubstr("max_ratio")));
  EXPECT_THAT(ReadAs("c.tar", Tar({{"z.txt.zst", Zstd(zeros)}})).status,
              StatusIs(kExhausted, AllOf(HasSubstr("c.tar!z.txt.zst: "),
                                         HasSubstr("max_ratio"))));
}

// Offsets of the directory entry and end record of a zip.
size_t EntryAt(const std::string& zip) { return zip.find("PK\1\2"); }
size_t EndAt(const std::string& zip) { return zip.rfind("PK\5\6"); }

struct ZipCase {
  const char* what;
  std::function<void(std::string&)> change;
  StatusCode code;
  const char* words;
};

TEST(ZipDamageTest, EachLieIsNamed) {
  const ZipCase cases[] = {
      {"CRC", [](std::string& z) { z[EntryAt(z) + 16] ^= 1; }, kDataLoss,
       "c.zip!a.txt: damaged: ZIP bad CRC"},
      {"content", [](std::string& z) { z[z.find("alpha")] ^= 1; }, kDataLoss,
       "c.zip!a.txt: damaged"},
      {"directory cut off", [](std::string& z) { z.resize(EntryAt(z)); },
       kDataLoss, "no directory at its end"},
      {"end cut off", [](std::string& z) { z.resize(z.size() - 1); }, kDataLoss,
       "no directory at its end"},
      {"bytes behind", [](std::string& z) { z += "x"; }, kDataLoss,
       "no directory at its end"},
      {"bytes before", [](std::string& z) { z.insert(0, "#!/bin/sh\n"); },
       kDataLoss, "does not end where its end record stands"},
      {"too few entries said",
       [](std::string& z) {
         z[EndAt(z) + 8] = 2;
         z[EndAt(z) + 10] = 2;
       },
       kDataLoss, "end record says 2 entries"},
      {"too many entries said",
       [](std::string& z) {
         z[EndAt(z) + 8] = 4;
         z[EndAt(z) + 10] = 4;
       },
       kDataLoss, "end record says 4 entries"},
      {"several disks", [](std::string& z) { z[EndAt(z) + 4] = 1; },
       kUnimplemented, "split over several files"},
      {"encrypted",
       [](std::string& z) {
         z[EntryAt(z) + 8] |= 1;
         z[6] |= 1;
       },
       kUnimplemented, "member \"a.txt\" is encrypted"},
      {"unknown method",
       [](std::string& z) {
         z[EntryAt(z) + 10] = 99;
         z[8] = 99;
       },
       kUnimplemented, "member \"a.txt\" is compressed by method 99"},
      {"stored size lie", [](std::string& z) { z[EntryAt(z) + 24] += 1; },
       kDataLoss, "sizes that cannot be"},
      {"packed size past the file",
       [](std::string& z) {
         Store<uint32_t>(z, EntryAt(z) + 20, 1 << 30);
         Store<uint32_t>(z, EntryAt(z) + 24, 1 << 30);
       },
       kDataLoss, "sizes that cannot be"},
      {"another name in front", [](std::string& z) { z[30] = 'b'; }, kDataLoss,
       "differs from the zip directory's entry \"a.txt\""},
      {"directory offset past the file",
       [](std::string& z) { Store<uint32_t>(z, EndAt(z) + 16, 1 << 30); },
       kDataLoss, "does not end where"},
      {"zip64 without its locator",
       [](std::string& z) { Store<uint32_t>(z, EndAt(z) + 16, ~0u); },
       kDataLoss, "no directory at its end"},
  };
  for (const ZipCase& one : cases) {
    SCOPED_TRACE(one.what);
    std::string zip = Zip(Small(), "compression=store");
    one.change(zip);
    const ReadOut out = ReadAs("c.zip", zip);
    EXPECT_THAT(out.records, IsEmpty());
    EXPECT_THAT(out.status, StatusIs(one.code, AllOf(HasSubstr("c.zip"),
                                                     HasSubstr(one.words))));
  }
}

// As in zip bombs that list one piece of data many times.
TEST(ZipDamageTest, EntriesThatShareBytesAreRefused) {
  std::string zip = Zip({{"a.txt", "xxxxxxxxxx"}}, "compression=store");
  const size_t entry = EntryAt(zip);
  const size_t end = EndAt(zip);
  const std::string listed = zip.substr(entry, end - entry);
  zip.insert(end, listed);
  const size_t new_end = end + listed.size();
  Store<uint16_t>(zip, new_end + 8, 2);
  Store<uint16_t>(zip, new_end + 10, 2);
  Store<uint32_t>(zip, new_end + 12, 2 * listed.size());
  EXPECT_THAT(ReadAs("c.zip", zip).status,
              StatusIs(kDataLoss, HasSubstr("entries overlap at offset 0")));
}

TEST(ZipDamageTest, Zip64IsRead) {
  const ReadOut out = ReadAs("c.zip", Zip(Small(), "zip64"));
  EXPECT_OK(out.status);
  EXPECT_EQ(out.records, kSmallRecords);
}

// As Python's zipfile writes it; libarchive's writer takes zip64 from here on.
TEST(ZipDamageTest, AsManyEntriesAsTheEndRecordCanSayNeedNoZip64) {
  constexpr uint32_t kEntries = 65535;
  const std::string crc_and_sizes("\x83\x16\xdc\x8c\1\0\0\0\1\0\0\0", 12);
  std::string zip;
  std::string directory;
  for (uint32_t i = 0; i < kEntries; ++i) {
    std::string local = std::string("PK\3\4", 4) + std::string(10, '\0') +
                        crc_and_sizes + std::string("\5\0\0\0", 4);
    std::string entry = std::string("PK\1\2", 4) + std::string(12, '\0') +
                        crc_and_sizes + std::string("\5\0", 2) +
                        std::string(16, '\0');
    Store(entry, 42, static_cast<uint32_t>(zip.size()));
    const std::string name = fmt::format("{:05}", i);
    zip += local + name + "x";
    directory += entry + name;
  }
  std::string end = std::string("PK\5\6", 4) + std::string(18, '\0');
  for (const size_t at : {8, 10}) Store<uint16_t>(end, at, kEntries);
  Store(end, 12, static_cast<uint32_t>(directory.size()));
  Store(end, 16, static_cast<uint32_t>(zip.size()));
  const ReadOut out = ReadAs("c.zip", zip + directory + end);
  EXPECT_OK(out.status);
  EXPECT_EQ(out.records, std::vector<std::string>(kEntries, "x"));
}

TEST(ZipDamageTest, MembersBeforeADamagedOneAreDelivered) {
  std::string zip = Zip(Small(), "compression=store");
  zip[zip.find("gamma") + 3] ^= 4;
  const ReadOut out = ReadAs("c.zip", zip);
  EXPECT_THAT(out.records, ElementsAre(kSmallRecords[0], kSmallRecords[1]));
  EXPECT_THAT(
      out.status,
      StatusIs(kDataLoss, HasSubstr("c.zip!LICENSE: damaged: ZIP bad")));
}

TEST(SevenZipDamageTest, AChangedByteFailsTheMembersChecksum) {
  std::string bytes = SevenZip({{"a.txt", "alpha"}}, "compression=store");
  bytes[bytes.find("alpha")] ^= 1;
  const ReadOut out = ReadAs("c.7z", bytes);
  EXPECT_THAT(out.records, IsEmpty());
  EXPECT_THAT(out.status, StatusIs(kDataLoss, HasSubstr("c.7z!a.txt: ")));
}

// The checksums of the header are made good again.
TEST(SevenZipDamageTest, AnUnknownCodecIsUnimplementedNotDamage) {
  std::string bytes = SevenZip({{"a.txt", "alpha"}}, "compression=store");
  // A folder of one coder whose id is one byte: 0, stored.
  const size_t coder = bytes.find(std::string("\x0b\1\0\1\1\0", 6));
  ASSERT_NE(coder, std::string::npos);
  bytes[coder + 5] = 0x77;
  uint64_t offset = 0, size = 0;
  std::memcpy(&offset, bytes.data() + 12, 8);
  std::memcpy(&size, bytes.data() + 20, 8);
  const auto crc = [&](size_t at, size_t count) {
    return static_cast<uint32_t>(
        crc32(0, reinterpret_cast<const Bytef*>(bytes.data() + at), count));
  };
  Store<uint32_t>(bytes, 28, crc(32 + offset, size));
  Store<uint32_t>(bytes, 8, crc(12, 20));
  const ReadOut out = ReadAs("c.7z", bytes);
  EXPECT_THAT(out.records, IsEmpty());
  EXPECT_THAT(out.status, StatusIs(kUnimplemented, HasSubstr("c.7z")));
}

// As files that hold themselves would be without end.
TEST(ArchiveDamageTest, OneLayerOfCompressionIsTakenOffAndNoMore) {
  std::string bytes = Tar(Small());
  for (int layer = 0; layer < 30; ++layer) bytes = Gzip(bytes);
  for (const std::string name : {"c.tar.gz", "c.txt.gz", "c.jsonl.gz"}) {
    const ReadOut out = ReadAs(name, bytes);
    EXPECT_THAT(out.records, IsEmpty());
    EXPECT_THAT(out.status,
                StatusIs(kInvalid,
                         AllOf(HasSubstr(name), HasSubstr("looks like gzip"))));
  }
}

}  // namespace
}  // namespace penstock::testing
