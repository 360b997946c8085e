#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  return {"id,text\n1,plain\r\n2,\"quoted, \"\"twice\"\"\"\n3,\"two\nlines\"\n",
          "\"\",\n\n,\"\"\n", "a\n" + std::string(200, 'x') + "\n\"b\""};
}

}  // namespace penstock::testing
