#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  std::string many;
  for (int i = 0; i < 30; ++i) many += "line " + std::to_string(i) + "\n";
  return {"\none\r\ntwo\r\n\r\n\n three\r\r\nfour \n\nfive",
          "\xef\xbb\xbf\r\na\n\n\nb\r", many};
}

}  // namespace penstock::testing
