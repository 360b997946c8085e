// Values at the limits of every type of a batch, and one past them.
#include "pipeline/build/narrow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "tests/pipeline/build/placed_rows.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename T>
void ExpectLimits(ElementType type, int64_t least, int64_t most) {
  // Long enough for every vector, with the bad value anywhere.
  for (const size_t size : {1, 2, 15, 16, 17, 64}) {
    for (const size_t at : {size_t{0}, size / 2, size - 1}) {
      std::vector<int64_t> values(size, 1);
      std::vector<T> out(size, 0);
      for (const int64_t value : {least, most, int64_t{0}}) {
        values[at] = value;
        ASSERT_TRUE(Narrow(values, type, out.data())) << value;
        EXPECT_EQ(static_cast<int64_t>(out[at]), value);
      }
      std::vector<int64_t> outside = {INT64_MIN, INT64_MAX};
      if (least > INT64_MIN)
        outside = {INT64_MIN, INT64_MAX, least - 1, most + 1};
      if (type == ElementType::kInt64) outside.clear();
      for (const int64_t value : outside) {
        values[at] = value;
        EXPECT_FALSE(Narrow(values, type, out.data()))
            << ElementTypeName(type) << " " << value;
      }
    }
  }
}

TEST(NarrowTest, EveryIntegerTypeTakesItsLimitsAndNothingPastThem) {
  ExpectLimits<int8_t>(ElementType::kInt8, -128, 127);
  ExpectLimits<int16_t>(ElementType::kInt16, -32768, 32767);
  ExpectLimits<int32_t>(ElementType::kInt32, INT32_MIN, INT32_MAX);
  ExpectLimits<int64_t>(ElementType::kInt64, INT64_MIN, INT64_MAX);
  ExpectLimits<uint8_t>(ElementType::kUint8, 0, 255);
  ExpectLimits<uint16_t>(ElementType::kUint16, 0, 65535);
  ExpectLimits<uint32_t>(ElementType::kUint32, 0, UINT32_MAX);
  ExpectLimits<uint8_t>(ElementType::kBool, 0, 1);
}

uint16_t Halved(float value, ElementType type, bool& fits) {
  uint16_t half = 0;
  fits = Narrow({&value, 1}, type, &half);
  return half;
}

// The value of a binary16 by its definition.
float ValueOfFloat16(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const float size =
      exponent == 0
          ? std::ldexp(static_cast<float>(mantissa), -24)
          : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return half & 0x8000 ? -size : size;
}

TEST(NarrowTest, EveryFloat16IsItselfAndWhatLiesBetweenGoesToTheNearest) {
  for (uint32_t half = 0; half < 0x7c00; ++half) {
    bool fits = false;
    const float value = ValueOfFloat16(static_cast<uint16_t>(half));
    ASSERT_EQ(Halved(value, ElementType::kFloat16, fits), half);
    EXPECT_TRUE(fits);
    ASSERT_EQ(Halved(-value, ElementType::kFloat16, fits), half | 0x8000);
    if (half == 0x7bff) break;
    const float next = ValueOfFloat16(static_cast<uint16_t>(half + 1));
    const float middle = (value + next) / 2;  // exact
    ASSERT_EQ(Halved(middle, ElementType::kFloat16, fits), half + (half & 1));
    ASSERT_EQ(Halved(std::nextafter(middle, 0.0f), ElementType::kFloat16, fits),
              half);
    ASSERT_EQ(Halved(std::nextafter(middle, 1e6f), ElementType::kFloat16, fits),
              half + 1);
  }
}

#if defined(__x86_64__)
[[gnu::target("f16c")]] uint16_t ByProcessor(float value) {
  return static_cast<uint16_t>(_cvtss_sh(value, 0));
}

TEST(NarrowTest, Float16sAreThoseOfTheProcessor) {
  if (!__builtin_cpu_supports("f16c")) GTEST_SKIP() << "no F16C here";
  std::mt19937 random(1);
  for (int i = 0; i < Cases(1'000'000); ++i) {
    const auto value = std::bit_cast<float>(static_cast<uint32_t>(random()));
    bool fits = false;
    const uint16_t half = Halved(value, ElementType::kFloat16, fits);
    const uint16_t expected = ByProcessor(value);
    if (std::isnan(value)) {
      EXPECT_GT(half & 0x7fff, 0x7c00);
      continue;
    }
    EXPECT_EQ(fits, std::isinf(value) || (expected & 0x7fff) != 0x7c00);
    if (fits) {
      ASSERT_EQ(half, expected) << value;
    }
  }
}
#endif

TEST(NarrowTest, BFloat16sAreTheNearestUpperHalves) {
  bool fits = false;
  const auto half = [&](uint32_t bits) {
    return Halved(std::bit_cast<float>(bits), ElementType::kBFloat16, fits);
  };
  EXPECT_EQ(half(0x3f800000), 0x3f80);
  EXPECT_EQ(half(0x3f808000), 0x3f80);  // to the even one
  EXPECT_EQ(half(0x3f818000), 0x3f82);
  EXPECT_EQ(half(0x3f808001), 0x3f81);
  EXPECT_EQ(half(0xbf808001), 0xbf81);
  EXPECT_EQ(half(0x7f800000), 0x7f80);
  EXPECT_TRUE(fits);
  EXPECT_EQ(half(0x7fc00001), 0x7fc0);
  EXPECT_TRUE(fits);
  EXPECT_EQ(half(0x7f7f7fff), 0x7f7f);
  EXPECT_TRUE(fits);
  half(0x7f7f8000);
  EXPECT_FALSE(fits);
}

Dataset Typed(Feature feature) {
  feature.name = "x";
  return Dataset::TfRecords("a")
      .Parse({{.name = "tokens"}, std::move(feature)})
      .Bucket({.by = "tokens", .lengths = {2}})
      .Batch({.size = 1});
}

TEST(NarrowTest, ValuesThatDoNotFitNameRecordFeatureAndValue) {
  PlacedRows ints(Typed({.length = 2, .as = ElementType::kUint8}), {{1}});
  ints.AddColumn({{7, 256}});
  ints.AddRecord(0);
  EXPECT_THAT(ints.Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 0: value 1"), HasSubstr("\"x\""),
                             HasSubstr("256"), HasSubstr("uint8"))));
  PlacedRows floats(Typed({.type = FeatureType::kFloat,
                           .length = 2,
                           .as = ElementType::kFloat16}),
                    {{1}});
  floats.AddFloats({{1, 70000}});
  floats.AddRecord(0);
  EXPECT_THAT(floats.Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 0: value 1"), HasSubstr("\"x\""),
                             HasSubstr("70000"), HasSubstr("float16"))));
}

TEST(NarrowTest, FeaturesOfSeveralDimensionsKeepTheirShapeAndPadding) {
  PlacedRows rows(
      Typed({.as = ElementType::kInt16, .shape = {2, 1, 3}, .pad_value = -5}),
      {{1}});
  rows.AddColumn({{1, 2, 3, 4, 5, 6}});
  rows.AddRecord(0);
  rows.AddRow({});
  rows.Placed();
  EXPECT_THAT(rows.Find("x").shape, ElementsAre(2, 2, 1, 3));
  EXPECT_THAT(rows.Row<int16_t>("x", 0), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(rows.Row<int16_t>("x", 1), ElementsAre(-5, -5, -5, -5, -5, -5));
  EXPECT_THAT(rows.contract().Describe(),
              HasSubstr("x: int16 [1, 2, 1, 3], pad -5"));
}

TEST(NarrowTest, BytesOfFixedSizeAreNumbersAsTheyLieInMemory) {
  PlacedRows images(
      Typed({.type = FeatureType::kBytes, .shape = {2, 2}, .pad_value = 255}),
      {{1}, {2}});
  images.AddBytes({"abcd", "efg"});
  images.AddRecord(0);
  images.AddRow({});
  images.Placed();
  EXPECT_THAT(images.Row<uint8_t>("x", 0), ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(images.Row<uint8_t>("x", 1), ElementsAre(255, 255, 255, 255));
  images.AddRecord(1);
  EXPECT_THAT(images.Place(),
              StatusIs(StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("record 1"), HasSubstr("3 bytes"),
                             HasSubstr("take 4"))));

  const std::vector<float> numbers = {1.5f, -2};
  PlacedRows floats(Typed({.type = FeatureType::kBytes,
                           .as = ElementType::kFloat32,
                           .shape = {2}}),
                    {{1}});
  floats.AddBytes(
      {std::string(reinterpret_cast<const char*>(numbers.data()), 8)});
  floats.AddRecord(0);
  floats.Placed();
  EXPECT_EQ(floats.Row<float>("x"), numbers);
}

}  // namespace
}  // namespace penstock::testing
