#include "tests/support/scratch_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace penstock::testing {

namespace {

std::filesystem::path PathOf(ScratchFolder::Place place) {
  const char* const memory = "/dev/shm";
  std::error_code absent;
  if (place == ScratchFolder::kMemory && access(memory, W_OK) == 0 &&
      std::filesystem::space(memory, absent).available >= uint64_t{32} << 20 &&
      !absent) {
    return memory;
  }
  return std::filesystem::temp_directory_path();
}

}  // namespace

ScratchFolder::ScratchFolder(Place place) {
  std::string name = (PathOf(place) / "penstock.XXXXXX").string();
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
