#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "infeed/devices/simulated_device.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The JAX scaling book's worked examples, of what it says of whole pods.
TEST(ChipFactsTest, PodsAddUpToWhatTheBookWorksOut) {
  ASSERT_OK_AND_ASSIGN(const ChipFacts v5e, FindChip("v5e"));
  EXPECT_NEAR(256 * v5e.flops_per_second->value, 5.1e16, 0.1e16);
  EXPECT_NEAR(256 * v5e.hbm_bytes->value, 4e12, 0.2e12);
  EXPECT_EQ(256 / v5e.chips_per_host->value, 32);
  ASSERT_OK_AND_ASSIGN(const ChipFacts v5p, FindChip("v5p"));
  EXPECT_NEAR(8960 * v5p.flops_per_second->value, 4e18, 0.15e18);
  EXPECT_EQ(8960 / v5p.chips_per_host->value, 2240);
  // 200e9 parameters in bfloat16 on 32 chips are read in 10 ms.
  ASSERT_OK_AND_ASSIGN(const ChipFacts v4, FindChip("v4"));
  EXPECT_NEAR(400e9 / 32 / v4.hbm_bytes_per_second->value, 0.010, 0.0005);
}

TEST(ChipFactsTest, EveryNumberSaysWhereItIsFrom) {
  for (const char* name : {"v2", "v3", "v4", "v5e", "v5p", "v6e", "7x"}) {
    ASSERT_OK_AND_ASSIGN(const ChipFacts chip, FindChip(name));
    for (const auto& fact :
         {chip.generation, chip.devices, chip.flops_per_second, chip.hbm_bytes,
          chip.hbm_bytes_per_second}) {
      ASSERT_TRUE(fact.has_value()) << name;
      EXPECT_GT(fact->source.size(), 10u) << name;
    }
  }
  EXPECT_THAT(FindChip("v9"),
              StatusIs(StatusCode::kNotFound,
                       HasSubstr("no chip v9; there are v2, v3, v4")));
}

// A chip of two devices has half of everything for each.
TEST(ChipFactsTest, WhatIsNotKnownIsNotMadeUp) {
  ASSERT_OK_AND_ASSIGN(const ChipFacts v2, FindChip("v2"));
  ASSERT_OK_AND_ASSIGN(const double hbm,
                       OfDevice(v2, &ChipFacts::hbm_bytes, ""));
  EXPECT_EQ(hbm, 8e9);
  EXPECT_THAT(OfDevice(v2, &ChipFacts::host_bytes_per_second, "measure it"),
              StatusIs(kInvalid,
                       "chip v2: no source says its "
                       "host_bytes_per_second: measure it"));
  EXPECT_THAT(DescribeChip(v2),
              AllOf(HasSubstr("tpu_info.py"), HasSubstr("not known")));
}

TEST(ChipFactsTest, AFileOfChipsIsReadLikeTheTable) {
  const testing::ScratchFolder folder;
  const auto read = [&](const std::string& text) {
    folder.Write("chips.json", text);
    return ReadChip(LocalFiles(), folder / "chips.json", "mine");
  };
  const auto with = [&](const std::string& facts) {
    return read(R"({"chips": {"mine": {)" + facts + "}}}");
  };
  ASSERT_OK_AND_ASSIGN(
      const ChipFacts chip,
      with(R"("hbm_bytes": {"value": 5e9, "source": "its data sheet"})"));
  EXPECT_EQ(chip.hbm_bytes->value, 5e9);
  EXPECT_EQ(chip.hbm_bytes->source, "its data sheet");
  EXPECT_FALSE(chip.devices.has_value());
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"("hbm_bytes": 5e9)", "hbm_bytes is not {\"value\""},
      {R"("hbm_bytes": {"value": 5e9})", "hbm_bytes is not {\"value\""},
      {R"("hbm_bytes": {"value": 0, "source": "x"})", "a number above 0"},
      {R"("devices": {"value": 1.5, "source": "x"})",
       "devices is 1.5, not a whole number"},
      {R"("hbm": {"value": 1, "source": "x"})", "nothing is known as hbm"}};
  for (const auto& [facts, want] : cases) {
    EXPECT_THAT(with(facts), StatusIs(kInvalid, AllOf(HasSubstr("chips.json: "),
                                                      HasSubstr(want))));
  }
  EXPECT_THAT(read("{}"), StatusIs(kInvalid, HasSubstr("not a table")));
  EXPECT_THAT(read(R"({"chips": {"other": {}}})"),
              StatusIs(StatusCode::kNotFound, HasSubstr("there are other")));
}

}  // namespace
}  // namespace penstock
