#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace penstock::testing {

ScratchFolder::ScratchFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "penstock.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    ADD_FAILURE() << "cannot make a folder like " << name;
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::operator/(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

std::string ScratchFolder::Write(std::string_view name,
                                 std::string_view bytes) const {
  const std::string path = *this / name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

std::string ScratchFolder::Read(std::string_view name) const {
  std::ifstream in(*this / name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace penstock::testing
