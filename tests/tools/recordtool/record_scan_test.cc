// Reading a file in parts gives what reading it in sequence gives.

#include "tools/recordtool/record_scan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "formats/tfrecord/tfrecord_framing.h"
#include "tests/support/effort.h"
#include "tests/support/memory_files.h"
#include "tools/recordtool/record_spans.h"

namespace penstock {
namespace {

using ::testing::IsEmpty;

constexpr uint64_t kPartBytes = 4096;

std::string Bytes(std::mt19937& random, size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

// Records of 0 to 600 bytes, some longer than parts, some that hold a TFRecord
// file themselves.
std::string MakeFile(std::mt19937& random) {
  std::string file;
  while (file.size() < 20 * kPartBytes) {
    const int kind = random() % 40;
    if (kind == 0) {
      AppendTfRecord(Bytes(random, kPartBytes * (1 + random() % 3)), file);
    } else if (kind == 1) {
      std::string inner;
      for (int i = 0; i < 30; ++i) {
        AppendTfRecord(Bytes(random, random() % 300), inner);
      }
      AppendTfRecord(inner, file);
    } else {
      AppendTfRecord(Bytes(random, random() % 600), file);
    }
  }
  return file;
}

struct Scanned {
  FileScan scan;
  std::string last_line;  // of the progress: bytes and records that are done
};

class PartsTest : public ::testing::Test {
 protected:
  Scanned Scan(const std::string& bytes, int threads, OnCorruption policy) {
    testing::MemoryFiles files(bytes);
    ::testing::internal::CaptureStderr();
    Scanned result;
    {
      Progress progress("scan", bytes.size(), /*quiet=*/false);
      result.scan = ScanFiles(files, {"a.tfrecord"},
                              {.threads = threads,
                               .on_corruption = policy,
                               .chain = true,
                               .part_bytes = kPartBytes},
                              progress)[0];
    }
    // "scan 100% 80.00 KiB 1.2 GiB/s, 300 records, took 0:00": not the times.
    std::istringstream words(::testing::internal::GetCapturedStderr());
    std::string word;
    for (int i = 0; i < 7 && words >> word; ++i) {
      if (i != 4 && i != 5) result.last_line += word + " ";
    }
    return result;
  }

  void ExpectSame(const std::string& bytes, const std::string& what) {
    for (const OnCorruption policy :
         {OnCorruption::kFail, OnCorruption::kSkip, OnCorruption::kResync}) {
      SCOPED_TRACE(fmt::format("{}, {}", what, OnCorruptionName(policy)));
      const Scanned one = Scan(bytes, 1, policy);
      const Scanned parts = Scan(bytes, 3, policy);
      EXPECT_EQ(parts.scan.status, one.scan.status);
      EXPECT_EQ(parts.scan.records, one.scan.records);
      EXPECT_EQ(parts.scan.record_bytes, one.scan.record_bytes);
      EXPECT_EQ(parts.scan.file_bytes, one.scan.file_bytes);
      EXPECT_EQ(parts.scan.skipped, one.scan.skipped);
      EXPECT_EQ(parts.scan.chain.records(), one.scan.records);
      EXPECT_EQ(parts.scan.chain.value(), one.scan.chain.value());
      EXPECT_EQ(parts.last_line, one.last_line);
    }
  }
};

TEST_F(PartsTest, AGoodFileIsReadAsInSequence) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    ExpectSame(MakeFile(random), "good");
  }
}

TEST_F(PartsTest, EachDamageIsToldAsInSequence) {
  std::mt19937 random(2);
  using Damage = std::function<void(std::string&, size_t)>;
  const std::vector<std::pair<std::string, Damage>> damages = {
      {"bit",
       [&](std::string& file, size_t at) { file[at] ^= 1 << random() % 8; }},
      {"cut", [](std::string& file, size_t at) { file.resize(at); }},
      {"hole",
       [&](std::string& file, size_t at) {
         file.replace(at, std::min<size_t>(random() % 9000, file.size() - at),
                      std::min<size_t>(random() % 9000, file.size() - at),
                      '\0');
       }},
      {"taken out",
       [&](std::string& file, size_t at) { file.erase(at, random() % 100); }},
      {"put in",
       [&](std::string& file, size_t at) {
         file.insert(at, Bytes(random, random() % 100));
       }},
      {"records put in",
       [&](std::string& file, size_t at) {
         std::string inner;
         AppendTfRecord("inner", inner);
         file.insert(at, inner + inner);
       }},
  };
  for (int round = 0; round < testing::Cases(40); ++round) {
    const std::string good = MakeFile(random);
    for (const auto& [name, damage] : damages) {
      std::string file = good;
      for (int n = 1 + random() % 3; n > 0; --n) {
        damage(file, random() % file.size());
      }
      ExpectSame(file, name);
    }
  }
}

TEST_F(PartsTest, DamageAtTheBorderOfPartsIsToldAsInSequence) {
  // Records of 64 bytes with their framing lie in step with the parts.
  std::string good;
  for (int i = 0; i < 6 * 64; ++i) {
    AppendTfRecord(std::string(48, static_cast<char>(i)), good);
  }
  for (size_t at = 2 * kPartBytes - 70; at < 2 * kPartBytes + 70; ++at) {
    std::string file = good;
    file[at] ^= 4;
    ExpectSame(file, fmt::format("bit at {}", at));
    ExpectSame(good.substr(0, at), fmt::format("cut at {}", at));
  }
}

TEST_F(PartsTest, ManyFalseHeadersAreToldAsInSequence) {
  // Each costs a search a look; a file may ask for so many (tfrecord_search.h)
  // that the count of all before decides what is found behind.
  std::mt19937 random(3);
  std::string file;
  for (int i = 0; i < 400; ++i) {
    AppendTfRecord(Bytes(random, 100), file);
    char header[kTfRecordHeaderBytes];
    StoreTfRecordHeader(100 + random() % 500, header);
    file.append("x").append(header, sizeof(header));
  }
  AppendTfRecord(std::string(70 << 10, 'l'), file);
  AppendTfRecord("", file);
  ExpectSame(file, "false headers");
}

TEST_F(PartsTest, AFileOfAnotherTypeIsNamedAsInSequence) {
  ExpectSame("<!DOCTYPE html>" + std::string(5 * kPartBytes, ' '), "page");
  ExpectSame(std::string(5 * kPartBytes, '\0'), "zeros");
  ExpectSame("", "nothing");
}

TEST_F(PartsTest, SpansAreFoundWithoutWhatLiesBeforeThem) {
  std::string file;
  for (int i = 0; i < 100; ++i) AppendTfRecord(std::string(84, 'x'), file);
  file[2050] ^= 1;
  testing::MemoryFiles files(file);
  const auto spans = FindRecordSpans(files, "a.tfrecord", 1501, 3050);
  ASSERT_EQ(spans.size(), 2u);
  EXPECT_EQ(spans[0].begin, 1600u);
  EXPECT_EQ(spans[0].end, 2000u);
  EXPECT_EQ(spans[0].records, 4u);
  EXPECT_EQ(spans[0].record_bytes(), 4 * 84u);
  EXPECT_EQ(spans[1].begin, 2100u);
  EXPECT_EQ(spans[1].end, 3100u);
  EXPECT_THAT(FindRecordSpans(files, "a.tfrecord", 1501, 1600), IsEmpty());
}

}  // namespace
}  // namespace penstock
