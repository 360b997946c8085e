#include "tests/layers/source_tree.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace penstock::testing {
namespace {

const std::filesystem::path kRoot = PENSTOCK_SOURCE_DIR;

std::vector<std::string> ReadIncludes(const std::filesystem::path& path) {
  std::vector<std::string> list;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("#include \"")) continue;
    const std::string included = line.substr(10, line.rfind('"') - 10);
    if (FloorNumber(included) >= 0) list.push_back(included);
  }
  return list;
}

}  // namespace

const std::vector<Floor>& Floors() {
  static const auto& floors = *new std::vector<Floor>{
      {"formats",
       {"memory", "files", "records", "wire", "example", "streams", "tfrecord",
        "corpora", "archives", "index", "datasets", "tokens", "open"}},
      {"tokenizer",
       {"unicode", "interface", "vocabulary", "pieces", "regex", "patterns",
        "bpe", "training", "normalizers", "splitters", "models", "decoders",
        "components", "sentencepiece", "files", "byte_tokenizer", "load"}},
      {"pipeline", {"shared_list",  "state",           "contract",
                    "batch",        "features",        "ordering",
                    "arranging",    "derive",          "objective",
                    "row_function", "mask_view",       "dataset",
                    "topology",     "compile_options", "trace",
                    "group",        "profile",         "tasks",
                    "tables",       "order",           "arrange",
                    "seek",         "graph",           "read",
                    "build",        "groups",          "pipeline",
                    "run",          "compile"}},
      {"infeed",
       {"sharding", "accounts", "queues", "device", "infeed", "checkpoints",
        "devices", "training", "reports", "virtual", "pjrt"}}};
  return floors;
}

const std::map<std::string, std::vector<std::string>>& Includes() {
  static const auto& includes = *[] {
    auto* all = new std::map<std::string, std::vector<std::string>>;
    for (const Floor& floor : Floors()) {
      for (const auto& entry :
           std::filesystem::recursive_directory_iterator(kRoot / floor.name)) {
        const std::string extension = entry.path().extension();
        if (extension != ".h" && extension != ".cc") continue;
        (*all)[std::filesystem::relative(entry.path(), kRoot)] =
            ReadIncludes(entry.path());
      }
    }
    return all;
  }();
  return includes;
}

std::string FloorOf(const std::string& path) {
  return path.substr(0, path.find('/'));
}

std::string PlaceOf(const std::string& path) {
  const size_t begin = path.find('/') + 1;
  return path.substr(begin, path.find_first_of("/.", begin) - begin);
}

int FloorNumber(const std::string& path) {
  const std::vector<Floor>& floors = Floors();
  for (size_t i = 0; i < floors.size(); ++i) {
    if (floors[i].name == FloorOf(path)) return static_cast<int>(i);
  }
  return -1;
}

int PlaceNumber(const std::string& path) {
  const std::vector<std::string>& places =
      Floors()[static_cast<size_t>(FloorNumber(path))].places;
  const auto at = std::find(places.begin(), places.end(), PlaceOf(path));
  return at == places.end() ? -1 : static_cast<int>(at - places.begin());
}

bool IsAtRoot(const std::string& path) {
  return path.find('/') == path.rfind('/');
}

std::string WithoutExtension(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

std::vector<std::string> PublicHeaders() {
  std::vector<std::string> headers;
  std::ifstream in(kRoot / "docs/api.md");
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string path = line.substr(3, line.find('`', 3) - 3);
    if (path.ends_with(".h")) headers.push_back(path);
  }
  return headers;
}

}  // namespace penstock::testing
