#include "tokenizer/interface/fingerprint.h"

#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <utility>
#include <vector>

namespace penstock::testing {
namespace {

template <typename T>
uint64_t OfBytes(const std::vector<T>& numbers) {
  return Fingerprinter()
      .Add("before")
      .Add(std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof(T)))
      .Finish();
}

template <typename T>
uint64_t OfNumbers(const std::vector<T>& numbers) {
  return Fingerprinter().Add("before").AddAll(numbers).Finish();
}

// States that were saved have such hashes.
TEST(FingerprinterTest, ItsValuesStay) {
  EXPECT_EQ(Fingerprinter().Finish(), 0xefd01f60ba992926);
  EXPECT_EQ(Fingerprinter().Add("tokens").Add(uint64_t{17}).Finish(),
            0x58b81fb569e71e7c);
  EXPECT_EQ(Fingerprinter()
                .AddAll(std::vector<int64_t>{0, 1, 50'256, -1, 1 << 20})
                .Finish(),
            0x8dcdeed1b5cb645f);
}

template <typename T>
void ExpectAsBytes() {
  std::mt19937_64 random(1);
  for (const int bits : {1, 8, 9, 16, 17, 24, 25, 32, 40, 63, 64}) {
    if (bits > static_cast<int>(8 * sizeof(T))) continue;
    for (const size_t count : {0, 1, 31, 32, 33, 100, 1000}) {
      std::vector<T> numbers(count);
      for (T& number : numbers) {
        number = static_cast<T>(random() >> (64 - bits));
      }
      EXPECT_EQ(OfNumbers(numbers), OfBytes(numbers)) << bits << " " << count;
      // One that is longer than all others, anywhere.
      for (size_t at = 0; at < count; at += 17) {
        const T was = std::exchange(numbers[at], static_cast<T>(~T{0}));
        EXPECT_EQ(OfNumbers(numbers), OfBytes(numbers));
        numbers[at] = was;
      }
    }
  }
}

TEST(FingerprinterTest, NumbersTogetherAreAsTheirBytes) {
  ExpectAsBytes<int64_t>();
  ExpectAsBytes<uint64_t>();
  ExpectAsBytes<uint32_t>();
}

}  // namespace
}  // namespace penstock::testing
