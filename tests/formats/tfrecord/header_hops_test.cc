#include "formats/tfrecord/header_hops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfrecord/tfrecord_framing.h"

namespace penstock::testing {
namespace {

struct Framed {
  std::string bytes;
  std::vector<uint64_t> offsets;

  void Add(std::string_view record) {
    offsets.push_back(bytes.size());
    AppendTfRecord(record, bytes);
  }
};

// 1 MiB of records of many sizes, so that many places are tried.
Framed SomeRecords(unsigned seed, size_t most_bytes) {
  std::mt19937 random(seed);
  Framed framed;
  while (framed.bytes.size() < 1 << 20) {
    std::string record(random() % most_bytes, '\0');
    for (char& c : record) c = static_cast<char>(random());
    framed.Add(record);
  }
  return framed;
}

// The offsets found and where it stopped, both ways.
struct Found {
  std::vector<uint64_t> offsets;
  uint64_t end = 0;

  bool operator==(const Found&) const = default;
};
Found HopOnce(std::string_view bytes, uint64_t file_bytes) {
  HeaderHops one(file_bytes);
  one.Hop(bytes);
  HeaderHops many(file_bytes);
  many.HopInManyPlaces(bytes);
  const Found found = {one.offsets(), one.offset()};
  // Many places may give less at once; the rest comes when asked again.
  while (many.offset() < one.offset()) {
    const uint64_t before = many.offset();
    many.HopInManyPlaces(bytes.substr(before));
    if (many.offset() == before) break;
  }
  EXPECT_EQ((Found{many.offsets(), many.offset()}), found);
  return found;
}

TEST(HeaderHopsTest, EveryRecordIsFoundInOrder) {
  for (const size_t most_bytes : {40u, 3000u, 200'000u, 2'000'000u}) {
    const Framed framed = SomeRecords(1, most_bytes);
    EXPECT_EQ(HopOnce(framed.bytes, framed.bytes.size()),
              (Found{framed.offsets, framed.bytes.size()}));
  }
}

TEST(HeaderHopsTest, ManyPlacesAreProvenAtOnceWhereNothingMisleads) {
  const Framed framed = SomeRecords(2, 3000);
  HeaderHops hops(framed.bytes.size());
  hops.HopInManyPlaces(framed.bytes);
  EXPECT_EQ(hops.offsets(), framed.offsets);
  EXPECT_EQ(hops.offset(), framed.bytes.size());
}

TEST(HeaderHopsTest, PiecesOfAFileGiveWhatTheWholeGives) {
  const Framed framed = SomeRecords(3, 3000);
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    HeaderHops hops(framed.bytes.size());
    while (hops.offset() < framed.bytes.size()) {
      const uint64_t before = hops.offset();
      const auto piece = std::string_view(framed.bytes)
                             .substr(before, 12 + random() % 400'000);
      round % 2 == 0 ? hops.Hop(piece) : hops.HopInManyPlaces(piece);
      ASSERT_GT(hops.offset(), before);
    }
    EXPECT_EQ(hops.offsets(), framed.offsets);
  }
}

TEST(HeaderHopsTest, RecordsInsideRecordsMisleadNobody) {
  // Data that is TFRecords itself: every other place looks like a record.
  Framed framed;
  for (unsigned seed = 0; framed.bytes.size() < 4 << 20; ++seed) {
    framed.Add(SomeRecords(seed, 500).bytes.substr(0, 100 + seed * 90'001));
  }
  EXPECT_EQ(HopOnce(framed.bytes, framed.bytes.size()),
            (Found{framed.offsets, framed.bytes.size()}));
}

TEST(HeaderHopsTest, AWrongHeaderIsWhereItStops) {
  const Framed good = SomeRecords(4, 30'000);
  for (size_t record = 0; record < good.offsets.size(); ++record) {
    const uint64_t at = good.offsets[record];
    for (const uint64_t byte : {0, 7, 8, 11}) {
      std::string bad = good.bytes;
      bad[at + byte] ^= 1;
      EXPECT_EQ(
          HopOnce(bad, bad.size()),
          (Found{{good.offsets.begin(), good.offsets.begin() + record}, at}));
    }
  }
}

TEST(HeaderHopsTest, ARecordBeyondTheFileIsWhereItStops) {
  Framed framed;
  framed.Add("foo");
  framed.Add("bar");
  for (size_t cut = 1; cut <= 19; ++cut) {
    EXPECT_EQ(
        HopOnce(std::string_view(framed.bytes).substr(0, 38 - cut), 38 - cut),
        (Found{{0}, 19}))
        << cut;
  }
  std::string longest(kTfRecordFramingBytes, '\0');
  for (const uint64_t length : {1ull, 1ull << 63, ~0ull, ~0ull - 15}) {
    StoreTfRecordHeader(length, longest.data());
    EXPECT_EQ(HopOnce(longest, longest.size()), (Found{{}, 0})) << length;
  }
}

TEST(HeaderHopsTest, ARecordThatGoesOnBehindThePieceIsFound) {
  Framed framed;
  framed.Add(std::string(1000, 'x'));
  framed.Add(std::string(1000, 'y'));
  EXPECT_EQ(HopOnce(std::string_view(framed.bytes).substr(0, 1028),
                    framed.bytes.size()),
            (Found{framed.offsets, framed.bytes.size()}));
  EXPECT_EQ(HopOnce(std::string_view(framed.bytes).substr(0, 1027),
                    framed.bytes.size()),
            (Found{{0}, 1016}));
}

TEST(HeaderHopsTest, NoBytesAreNoRecords) {
  EXPECT_EQ(HopOnce("", 0), Found{});
  EXPECT_EQ(HopOnce("", 100), Found{});
}

}  // namespace
}  // namespace penstock::testing
