#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  return {
      "{\"t\": \"one\"}\n\r\n{\"x\": [1, -2.5e3, true, null, {}], "
      "\"t\": \"\\u00e9\\ud83d\\ude00\\n\"}\r\n{\"t\": \"last\"}",
      "\xef\xbb\xbf{\"t\":\"a\",\"t\":\"b\"}\n{\"t\":1}\n[\"t\"]\n"
      "{\"t\":\"\\ud800 \xff\",\"n\":1e999}\n{\"t\":\"open\n"
      "{\"t\":\"c\"} {\"t\":\"d\"}\n",
      "{\"a\":{\"t\":\"deep\"},\"t\":\"\\u0000\\\"\\/"
      "\\b\",\"z\":[[[]],-0,0.1e-7]}"
      "\n{\"t\" : \"tab\\t\"}\t\r\n"};
}

}  // namespace penstock::testing
