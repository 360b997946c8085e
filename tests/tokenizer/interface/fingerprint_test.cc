#include "tokenizer/interface/fingerprint.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace penstock::testing {
namespace {

// States that were saved have such hashes.
TEST(FingerprinterTest, ItsValuesStay) {
  EXPECT_EQ(Fingerprinter().Finish(), 0xefd01f60ba992926);
  EXPECT_EQ(Fingerprinter().Add("tokens").Add(uint64_t{17}).Finish(),
            0x58b81fb569e71e7c);
}

}  // namespace
}  // namespace penstock::testing
