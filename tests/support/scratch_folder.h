// A folder of its own for one test, gone afterwards.
#pragma once

#include <string>
#include <string_view>

namespace penstock::testing {

class ScratchFolder {
 public:
  // In memory, where there is room, thousands of fsync() take no time.
  enum Place { kDisk, kMemory };

  explicit ScratchFolder(Place place = kDisk);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }
  // The path of `name` inside.
  std::string operator/(std::string_view name) const;
  // Writes a file and returns its path.
  std::string Write(std::string_view name, std::string_view bytes) const;
  std::string Read(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace penstock::testing
