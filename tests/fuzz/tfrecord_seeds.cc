#include "formats/tfrecord/tfrecord_writer.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/scratch_folder.h"

namespace penstock::testing {
namespace {

std::string Seed(Compression compression,
                 const std::vector<std::string>& records) {
  const ScratchFolder folder;
  const std::string path = folder / "seed";
  auto writer =
      CreateTfRecord(LocalFiles(), path, {.compression = compression});
  if (!writer.ok()) return {};
  for (const std::string& record : records) {
    (*writer)->Append(record).IgnoreError();
  }
  (*writer)->Finish().IgnoreError();
  return folder.Read("seed");
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  std::vector<std::string> seeds;
  for (const Compression compression :
       {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    seeds.push_back(Seed(compression, {}));
    seeds.push_back(
        Seed(compression, {"", "foo", std::string(200, 'a'), "bar"}));
  }
  return seeds;
}

}  // namespace penstock::testing
