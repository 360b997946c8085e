#include "tokenizer/files/json_spelling.h"

#include <gtest/gtest.h>
#include <simdjson.h>
#include <sys/mman.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "tests/support/status_matchers.h"
#include "tokenizer/files/json_object.h"

namespace penstock {
namespace {

std::string Spelled(std::string_view document) {
  simdjson::dom::parser parser;
  const auto element = ParseJson(document, "here", parser);
  EXPECT_OK(element.status());
  std::string json;
  AppendJson(*element, json);
  EXPECT_EQ(json, std::string(simdjson::minify(*element)));
  return json;
}

TEST(JsonSpellingTest, IsWhatSimdjsonWrites) {
  EXPECT_EQ(Spelled(R"( { "a" : [ 1, -2, 3.25, 1e300, true, false, null ],
                         "b\n" : { }, "c" : [ [ ], [ { "d" : "" } ] ] } )"),
            R"({"a":[1,-2,3.25,1e+300,true,false,null],"b\n":{},)"
            R"("c":[[],[{"d":""}]]})");
}

// Each character of one byte, at the begin, in, at the end of and behind what
// is looked at together.
TEST(JsonSpellingTest, EscapesAsSimdjsonDoes) {
  for (int byte = 0; byte < 128; ++byte) {
    for (const size_t before : {0, 1, 63, 64, 65, 127, 200}) {
      for (const size_t behind : {0, 1, 64}) {
        const std::string text = std::string(before, 'x') +
                                 static_cast<char>(byte) + "\u00e9" +
                                 std::string(behind, 'y');
        const std::string json = Spelled(nlohmann::json(text).dump());
        EXPECT_EQ(nlohmann::json::parse(json).get<std::string>(), text);
      }
    }
  }
}

// simdjson reads behind a text, where there may be no memory.
TEST(JsonSpellingTest, ReadsTextsUpToTheEndOfMemory) {
  constexpr size_t kPageBytes = 4096;
  void* const memory = mmap(nullptr, 2 * kPageBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  char* const end = static_cast<char*>(memory) + kPageBytes;
  ASSERT_EQ(mprotect(end, kPageBytes, PROT_NONE), 0);
  std::memset(memory, '1', kPageBytes);
  constexpr std::string_view kText = R"(["a",7])";
  for (size_t behind = 0; behind < 3 * simdjson::SIMDJSON_PADDING; ++behind) {
    char* const begin = end - behind - kText.size();
    kText.copy(begin, kText.size());
    EXPECT_EQ(Spelled({begin, kText.size()}), kText) << behind;
  }
  ASSERT_EQ(munmap(memory, 2 * kPageBytes), 0);
}

}  // namespace
}  // namespace penstock
