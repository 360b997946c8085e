#include "formats/wire/packed_varints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "formats/wire/packed_varints_sse4.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/effort.h"

namespace penstock {
namespace {

using testing::kCaseStride;

using testing::LongVarint;
using testing::Varint;

// Whether both decode to `values` as int32, or neither where they do not fit.
void ExpectNarrow(const std::string& chunk, const std::vector<int64_t>& values,
                  bool fits) {
  for (const auto decode :
       {DecodeVarints32, DecodeVarints32Portable,
        HasSse4Varints() ? DecodeVarints32Sse4 : DecodeVarints32Portable}) {
    std::vector<int32_t> narrow(values.size() + kVarintSlack);
    const ptrdiff_t count = decode(chunk, narrow.data());
    ASSERT_EQ(count, fits ? static_cast<ptrdiff_t>(values.size()) : -1);
    if (!fits) continue;
    narrow.resize(values.size());
    EXPECT_TRUE(std::ranges::equal(narrow, values));
  }
}

std::vector<int64_t> Decode(const std::string& chunk) {
  const size_t count = CountVarints(chunk);
  const auto decode_by = [&](auto decode) {
    std::vector<int64_t> values(count + kVarintSlack);
    EXPECT_EQ(decode(chunk, values.data()), nullptr);
    values.resize(count);
    return values;
  };
  const std::vector<int64_t> values = decode_by(DecodeVarints);
  EXPECT_EQ(CheckVarints(chunk), nullptr);
  EXPECT_EQ(decode_by(DecodeVarintsPortable), values);
  if (HasSse4Varints()) {
    EXPECT_EQ(decode_by(DecodeVarintsSse4), values);
  }
  ExpectNarrow(chunk, values, std::ranges::all_of(values, [](int64_t v) {
                 return v >= INT32_MIN && v <= INT32_MAX;
               }));
  return values;
}

// Where all say the defect begins; -1 for none, -2 where they disagree.
int DefectIn(const std::string& chunk) {
  std::vector<int64_t> values(CountVarints(chunk) + kVarintSlack);
  const char* decoded = DecodeVarints(chunk, values.data());
  const char* checked = CheckVarints(chunk);
  if (decoded != checked) return -2;
  if (decoded != nullptr) ExpectNarrow(chunk, values, false);
  if (DecodeVarintsPortable(chunk, values.data()) != decoded) return -2;
  if (HasSse4Varints() && DecodeVarintsSse4(chunk, values.data()) != decoded) {
    return -2;
  }
  return decoded == nullptr ? -1 : static_cast<int>(decoded - chunk.data());
}

// Each size beside each other size, at each place in an eight-byte load.
TEST(PackedVarintsTest, EverySequenceOfSizesDecodes) {
  std::vector<int64_t> edges;
  for (int bits = 0; bits < 64; ++bits) {
    edges.push_back(static_cast<int64_t>(uint64_t{1} << bits));
    edges.push_back(static_cast<int64_t>((uint64_t{1} << bits) - 1));
  }
  for (const int64_t limit : {int64_t{INT32_MIN}, int64_t{INT32_MAX}}) {
    edges.insert(edges.end(), {limit - 1, limit, limit + 1});
  }
  edges.push_back(-1);
  for (int before = 0; before < 9; ++before) {
    for (const int64_t first : edges) {
      for (size_t i = before % kCaseStride; i < edges.size();
           i += kCaseStride) {
        const int64_t second = edges[i];
        std::vector<int64_t> values(before, 5);
        values.insert(values.end(), {first, second, 300, 7, 7, 7});
        // Or among so many that they are decoded together.
        if (i % 2 == 0) values.resize(values.size() + 60, 3);
        std::string chunk;
        for (const int64_t v : values) chunk += Varint(v);
        ASSERT_EQ(Decode(chunk), values);
      }
    }
  }
}

TEST(PackedVarintsTest, RandomSizesDecode) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    const int largest = 1 + random() % 64;
    std::vector<int64_t> values(random() % 300);
    std::string chunk;
    for (int64_t& v : values) {
      v = static_cast<int64_t>(random() >> (random() % largest));
      chunk += Varint(v);
    }
    ASSERT_EQ(Decode(chunk), values);
  }
}

TEST(PackedVarintsTest, LongFormsMeanTheShortOnes) {
  for (size_t size = 1; size <= 10; ++size) {
    std::string chunk;
    for (int i = 0; i < 20; ++i) chunk += LongVarint(i, size);
    const std::vector<int64_t> values = Decode(chunk);
    ASSERT_EQ(values.size(), 20);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(values[i], i);
  }
}

TEST(PackedVarintsTest, ElevenBytesAreADefectWhereverTheyLie) {
  for (size_t before = 0; before < 140; ++before) {
    for (size_t after = 0; after < 140; after += 7) {
      const std::string chunk = std::string(before, '\1') + LongVarint(1, 11) +
                                std::string(after, '\1');
      ASSERT_EQ(DefectIn(chunk), static_cast<int>(before));
    }
  }
}

TEST(PackedVarintsTest, ACutOffValueIsADefectWhereItBegins) {
  for (size_t before = 0; before < 140; ++before) {
    for (size_t size = 1; size < 90; ++size) {
      const std::string chunk =
          std::string(before, '\1') + std::string(size, '\x80');
      ASSERT_EQ(DefectIn(chunk), static_cast<int>(before));
    }
  }
}

TEST(PackedVarintsTest, AnEmptyChunkHasNoValues) {
  EXPECT_EQ(CountVarints(""), 0);
  EXPECT_EQ(DefectIn(""), -1);
}

}  // namespace
}  // namespace penstock
