#include "tests/formats/archives/archive_fixture.h"
#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  const std::vector<PackedFile> entries = {{"a.csv", "id,text\n1,\"x\ny\"\n"},
                                           {"d/b", "beta beta beta beta"}};
  return {Tar(entries), Zip(entries), Zip(entries, "compression=store"),
          SevenZip(entries), Zstd(Tar(entries))};
}

}  // namespace penstock::testing
