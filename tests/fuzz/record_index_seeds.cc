#include "formats/index/record_index.h"
#include "tests/fuzz/indexed_file.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/scratch_folder.h"

namespace penstock::testing {
namespace {

std::string Sidecar(const ScratchFolder& folder, const RecordIndex& index) {
  if (!index.Save(LocalFiles(), folder / "a.tfrecord").ok()) return {};
  return folder.Read(".a.tfrecord.index");
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  const ScratchFolder folder;
  const std::string path = folder.Write("a.tfrecord", kIndexedFile);
  const auto file = LocalFiles().Stat(path);
  if (!file.ok()) return {};
  const std::vector<uint64_t> offsets = {0, 16, 35, 54};
  const std::vector<GzipMemberPlace> members = {{0, 0, 0}, {74, 100, 4}};
  const std::vector<LengthColumn> columns = {{"tokens", {1, 2, 3, 4}},
                                             {"b", {5, 6, 7, 8}}};
  return {Sidecar(folder, RecordIndex(offsets, {}, *file)),
          Sidecar(folder, RecordIndex(offsets, columns, *file)),
          Sidecar(folder, RecordIndex(members, columns, *file)),
          std::string(kIndexedFileText)};
}

}  // namespace penstock::testing
