#include "formats/example/long_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/example_writer.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

// An entry of Features; `feature` is serialized.
std::string Entry(std::string_view name, std::string_view feature) {
  return Chunk(1, Chunk(1, name) + Chunk(2, feature));
}
std::string BytesOf(std::string_view value) {
  return Chunk(1, Chunk(1, value));
}
std::string Filled(size_t size, int seed) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>((i + seed) * 2654435761u >> 13);
  }
  return bytes;
}

ExampleParser Parser() {
  auto parser = ExampleParser::Create(
      {{.name = "a", .type = FeatureType::kBytes, .optional = true},
       {.name = "image", .type = FeatureType::kBytes, .optional = true},
       {.name = "label", .optional = true},
       {.name = "mask", .type = FeatureType::kBytes, .optional = true},
       {.name = "x", .type = FeatureType::kFloat, .optional = true}});
  EXPECT_OK(parser);
  return *std::move(parser);
}

// What a parser makes of a record: its values, or that it refuses it.
std::optional<Examples> Parsed(std::string_view record) {
  Examples out;
  const Status status = Parser().Parse(
      std::span(&record, 1), [](size_t) { return "r"; }, out);
  return status.ok() ? std::optional(std::move(out)) : std::nullopt;
}

// A column of one row with `value` where it is empty.
void Put(std::string_view value, Column& column) {
  ASSERT_EQ(column.byte_offsets, (std::vector<uint64_t>{0, 0}));
  column.bytes = value;
  column.byte_offsets.back() = value.size();
}

struct Taken {
  std::vector<std::string> values;
  std::vector<bool> found;
  ExampleRest rest;
};

constexpr size_t kImageBytes = 33'000;
constexpr size_t kMaskBytes = kLongValueBytes;

// Takes "image" and "mask" out of `record`; nullopt where that is refused.
std::optional<Taken> Take(std::string_view record) {
  Taken taken;
  taken.values = {std::string(kImageBytes, '#'), std::string(kMaskBytes, '#')};
  std::vector<LongValue> values = {{"image", taken.values[0]},
                                   {"mask", taken.values[1]}};
  size_t at = 0;
  const bool done = TakeLongValues(
      record.size(), values,
      [&](std::span<char> to) {
        EXPECT_LE(to.size(), record.size() - at);
        std::memcpy(to.data(), record.data() + at, to.size());
        at += to.size();
        return true;
      },
      taken.rest);
  if (!done) return std::nullopt;
  EXPECT_EQ(at, record.size());
  EXPECT_LE(taken.rest.example.size(), ExampleRest::kMostBytes + 100);
  for (const LongValue& value : values) taken.found.push_back(value.found);
  return taken;
}

// What was taken, put together, is what a parser makes of the record.
void ExpectSame(std::string_view record, const Taken& taken) {
  auto together = Parsed(taken.rest.example);
  const auto whole = Parsed(record);
  ASSERT_EQ(together.has_value(), whole.has_value());
  if (!whole) return;
  constexpr size_t kColumns[] = {1, 3};
  for (size_t i = 0; i < 2; ++i) {
    if (taken.found[i]) {
      Put(taken.values[i], together->columns[kColumns[i]]);
    }
  }
  for (size_t c = 0; c < whole->columns.size(); ++c) {
    const Column& is = together->columns[c];
    const Column& wanted = whole->columns[c];
    ASSERT_EQ(is.row_offsets, wanted.row_offsets) << c;
    ASSERT_EQ(is.ints, wanted.ints) << c;
    ASSERT_EQ(is.floats, wanted.floats) << c;
    ASSERT_EQ(is.byte_offsets, wanted.byte_offsets) << c;
    ASSERT_TRUE(is.bytes == wanted.bytes) << c;
  }
}

void ExpectTaken(std::string_view record, const std::vector<bool>& found) {
  const auto taken = Take(record);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->found, found);
  ExpectSame(record, *taken);
}

std::string WithImage() {
  ExampleWriter writer;
  writer.SetBytes("a", "before");
  writer.SetBytes("image", Filled(kImageBytes, 1));
  writer.SetInts("label", std::vector<int64_t>{7, -1, 1 << 20});
  writer.SetFloats("x", std::vector<float>{0.5, 2});
  std::string record;
  writer.Finish(record);
  return record;
}

TEST(LongValuesTest, WhatIsTakenAndWhatIsLeftAreTheRecord) {
  ExpectTaken(WithImage(), {true, false});
  const std::string image = Entry("image", BytesOf(Filled(kImageBytes, 2)));
  const std::string mask = Entry("mask", BytesOf(Filled(kMaskBytes, 3)));
  const std::string label = Entry("label", Chunk(3, Chunk(1, Varint(9))));
  ExpectTaken(Chunk(1, image), {true, false});
  ExpectTaken(Chunk(1, mask), {false, true});
  ExpectTaken(Chunk(1, image + mask), {true, true});
  ExpectTaken(Chunk(1, mask + label + image), {true, true});
  ExpectTaken(Chunk(1, label), {false, false});
  // Values of any form of a feature that is left.
  ExpectTaken(
      Chunk(1, Entry("label", Chunk(3, VarintField(1, 3) + VarintField(1, 4))) +
                   image),
      {true, false});
  ExpectTaken(Chunk(1, label + image + label), {true, false});
}

// Wherever the block ends that is looked at first.
TEST(LongValuesTest, FeaturesOfAnySizeMayStandBefore) {
  const std::string image = Entry("image", BytesOf(Filled(kImageBytes, 2)));
  for (size_t size = 0; size < 2200; size += 1 + size / 1000 * 10) {
    const std::string before = Entry("a", BytesOf(Filled(size, 4)));
    ExpectTaken(Chunk(1, before + image + Entry("x", "")), {true, false});
  }
}

TEST(LongValuesTest, AsMuchMayBeLeftAsTheLimitSays) {
  const std::string image = Entry("image", BytesOf(Filled(kImageBytes, 2)));
  const auto record = [&](size_t size) {
    return Chunk(1, image + Entry("a", BytesOf(Filled(size, 4))));
  };
  ExpectTaken(record(ExampleRest::kMostBytes - 600), {true, false});
  EXPECT_FALSE(Take(record(ExampleRest::kMostBytes)));
  EXPECT_FALSE(Take(record(10 * ExampleRest::kMostBytes)));
}

TEST(LongValuesTest, WhatIsNotAsWritersMakeItIsRefused) {
  const std::string value = Filled(kImageBytes, 2);
  const std::string image = Entry("image", BytesOf(value));
  const std::string_view most = value;
  const std::string label = Entry("label", Chunk(3, Chunk(1, Varint(9))));
  for (const std::string& record : {
           std::string(),
           Chunk(1, image) + Chunk(1, label),
           Chunk(1, label) + Chunk(1, image),
           Chunk(1, image) + VarintField(2, 1),
           Chunk(2, image),
           Chunk(1, image + VarintField(2, 1)),
           Chunk(1, image + image),
           Chunk(1, image + Entry("image", BytesOf("short"))),
           Chunk(1, Entry("image", BytesOf("short")) + image),
           Chunk(1, Entry("image", "") + image),
           Chunk(1, Chunk(1, Chunk(1, "a") + Chunk(1, "image")) + image),
           Chunk(1, Entry("image", BytesOf(most.substr(1)))),
           Chunk(1, Entry("image", BytesOf(value + "#"))),
           Chunk(1, Entry("image", Chunk(1, Chunk(1, value) + Chunk(1, "#")))),
           Chunk(1, Entry("image", Chunk(1, Chunk(1, "#") + Chunk(1, value)))),
           Chunk(1, Entry("image", BytesOf(value) + BytesOf("#"))),
           Chunk(1, Entry("image", Chunk(3, Chunk(1, value)))),
           Chunk(1, Chunk(1, Chunk(2, BytesOf(value)) + Chunk(1, "image"))),
           Chunk(1, Entry("other", BytesOf(value) + BytesOf(value))),
           Chunk(1, Entry("\xff", BytesOf("no name")) + image),
       }) {
    EXPECT_FALSE(Take(record));
  }
}

TEST(LongValuesTest, WhatCannotBeReadIsRefused) {
  const std::string record = WithImage();
  for (int allowed = 0; allowed < 3; ++allowed) {
    std::string image(kImageBytes, '#');
    LongValue value = {"image", image};
    ExampleRest rest;
    size_t at = 0;
    int left = allowed;
    EXPECT_FALSE(TakeLongValues(
        record.size(), std::span(&value, 1),
        [&](std::span<char> to) {
          std::memcpy(to.data(), record.data() + at, to.size());
          at += to.size();
          return left-- > 0;
        },
        rest));
  }
}

// Of a record of any bytes nothing is taken that a parser would not find in it:
// every byte but those deep in the value changed, taken out and put in.
TEST(LongValuesTest, OfDamagedRecordsTheSameIsTakenThatAParserFinds) {
  const std::string good = WithImage();
  const size_t value = good.find(Filled(64, 1));
  std::mt19937 random(1);
  size_t taken = 0;
  size_t cases = 0;
  const auto try_record = [&](const std::string& record) {
    ++cases;
    const auto got = Take(record);
    if (!got) return;
    ++taken;
    ExpectSame(record, *got);
  };
  for (size_t at = 0; at < good.size(); ++at) {
    if (at > value + 20 && at + 20 < value + kImageBytes && at % 5000 != 0) {
      continue;
    }
    for (int i = 0; i < Cases(42); ++i) {
      std::string bad = good;
      bad[at] = static_cast<char>(random());
      try_record(bad);
      // Sizes that go on to agree with each other.
      if (i % 7 == 0) try_record(std::string(good).erase(at, 1));
      if (i % 7 == 1) try_record(std::string(good).insert(at, 1, bad[at]));
    }
    try_record(good.substr(0, at));
  }
  EXPECT_GT(taken, cases / 20);
  EXPECT_LT(taken, cases - cases / 20);
}

}  // namespace
}  // namespace penstock::testing
