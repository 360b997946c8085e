#include "tests/fuzz/seeds.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace penstock::testing {

// The first byte says what the rest is; see tokenizer_fuzz.cc.
std::vector<std::string> FuzzSeeds() {
  std::vector<std::string> seeds;
  seeds.push_back(std::string(1, '\0') + "YWI= 256\r\n\nYWJj 257\n");
  auto json = TinyJson({"ab", "abc"}, {"a b", "ab c"});
  json["added_tokens"] = {AddedTokenJson("<x>", 258)};
  seeds.push_back('\1' + json.dump());
  const std::string text =
      "It's  the\r\n\n 1234 \xe6\x97\xa5\xe6\x9c\xac e\xcc\x81 "
      "<|endoftext|>\xf0\x9f\x98\x80 \xc2\x85 aaaaa'\xc5\xbf \t\n ";
  for (char choice = 2; choice < 8; ++choice) seeds.push_back(choice + text);
  return seeds;
}

}  // namespace penstock::testing
