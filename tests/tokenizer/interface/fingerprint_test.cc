#include "tokenizer/interface/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace penstock::testing {
namespace {

// States that were saved have such hashes.
TEST(FingerprinterTest, ItsValuesStay) {
  EXPECT_EQ(Fingerprinter().Finish(), 0xefd01f60ba992926);
  EXPECT_EQ(Fingerprinter().Add("tokens").Add(uint64_t{17}).Finish(),
            0x58b81fb569e71e7c);
}

// Words of eight bytes, the lowest first, the last filled with zeros. Written
// down from a calculation apart from the code.
TEST(FingerprinterTest, LongBytesAreTakenByEights) {
  const auto print = [](std::string_view bytes) {
    return Fingerprinter().AddLong(bytes).Finish();
  };
  EXPECT_EQ(print(""), 0x7bd3144f29c0cc9e);
  EXPECT_EQ(print("tokens"), 0x84bc0c3c257cb9e6);
  EXPECT_EQ(print("twelve bytes"), 0xdc030e47e93d9e7e);
  EXPECT_EQ(print("sixteen bytes ..\xff"), 0x96c9b3dee3794168);
  EXPECT_NE(print("a"), print(std::string_view("a\0", 2)));
}

// FNV-1a of a number's eight bytes, the lowest first, of which the high ones
// that are 0 are taken together.
TEST(FingerprinterTest, NumbersAreAddedByteByByte) {
  const auto by_bytes = [](uint64_t number) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> 8 * i);
    uint64_t hash = 0xcbf29ce484222325;
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3;
    return hash;
  };
  const auto mixed = [](uint64_t h) {
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
    return h ^ (h >> 33);
  };
  for (int bits = 0; bits < 64; ++bits) {
    for (const uint64_t number : {uint64_t{1} << bits, ~uint64_t{0} >> bits,
                                  uint64_t{0x8001} << bits}) {
      EXPECT_EQ(Fingerprinter().Add(number).Finish(), mixed(by_bytes(number)));
    }
  }
  EXPECT_EQ(Fingerprinter().Add(uint64_t{0}).Finish(), mixed(by_bytes(0)));
}

}  // namespace
}  // namespace penstock::testing
