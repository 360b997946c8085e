#include "formats/corpora/json_check.h"
#include "tests/support/effort.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <random>
#include <string>
#include <vector>

namespace penstock::testing {
namespace {

using namespace std::string_literals;

const std::vector<std::string>& Pieces() {
  static const std::vector<std::string> pieces = {"{",
                                                  "}",
                                                  "[",
                                                  "]",
                                                  ",",
                                                  ":",
                                                  "\"a\"",
                                                  "\"",
                                                  "\\",
                                                  "\\u",
                                                  "d800",
                                                  "\\udc00",
                                                  "\\ud83d",
                                                  "\\u00e9",
                                                  "1",
                                                  "0",
                                                  "-",
                                                  "e",
                                                  ".",
                                                  "+",
                                                  "true",
                                                  "false",
                                                  "null",
                                                  "tru",
                                                  " ",
                                                  "\t",
                                                  "\f",
                                                  "\0"s,
                                                  "\x01",
                                                  "\xc3\xa9",
                                                  "\xff",
                                                  "\xed\xa0\x80",
                                                  "1e999",
                                                  "1e-999",
                                                  "\"t\":",
                                                  "18446744073709551615",
                                                  "x",
                                                  "18446744073709551616",
                                                  "-9223372036854775809"};
  return pieces;
}

TEST(JsonCheckTest, RefusesWhatSimdjsonRefusesAndNothingElse) {
  simdjson::dom::parser parser;
  std::mt19937 random(8259);
  int accepted = 0;
  for (int round = 0; round < Cases(200'000); ++round) {
    std::string text = random() % 2 == 0 ? "{\"t\":" : "";
    for (size_t n = random() % 10 + 1; n > 0; --n) {
      text += Pieces()[random() % Pieces().size()];
    }
    if (random() % 2 == 0) text += "}";
    const bool taken = parser.parse(text).error() == simdjson::SUCCESS;
    accepted += taken;
    const auto fault = FindJsonFault(text);
    ASSERT_EQ(!fault.has_value(), taken) << text;
    if (fault) {
      ASSERT_LE(fault->offset, text.size());
    }
  }
  EXPECT_GT(accepted, Cases(1000));
}

TEST(JsonCheckTest, LevelsAreCountedAsSimdjsonDoes) {
  simdjson::dom::parser parser;
  for (const size_t levels : {1022, 1023, 1024, 1025}) {
    for (const std::string inner : {"", "1", "{}"}) {
      const std::string text =
          std::string(levels, '[') + inner + std::string(levels, ']');
      EXPECT_EQ(FindJsonFault(text).has_value(),
                parser.parse(text).error() != simdjson::SUCCESS)
          << levels << inner;
    }
  }
}

// What was mended is taken, and what could be taken before is not changed.
TEST(JsonCheckTest, MendedDocumentsAreTakenAndGoodOnesAreNotTouched) {
  simdjson::dom::parser parser;
  std::mt19937 random(3);
  size_t mended_count = 0;
  for (int round = 0; round < 100'000; ++round) {
    std::string text = "[";
    for (size_t n = random() % 6 + 1; n > 0; --n) {
      text += Pieces()[random() % Pieces().size()];
    }
    text += "]";
    const auto mended = MendJson(text, {.numbers = true, .unicode = true});
    if (!mended) {
      EXPECT_TRUE(FindJsonFault(text).has_value()) << text;
      continue;
    }
    ASSERT_EQ(parser.parse(*mended).error(), simdjson::SUCCESS) << text;
    if (!FindJsonFault(text)) {
      ASSERT_EQ(*mended, text);
    }
    mended_count += *mended != text;
  }
  EXPECT_GT(mended_count, 100);
}

}  // namespace
}  // namespace penstock::testing
