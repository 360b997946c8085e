// The files of a dataset that hold nothing.
#pragma once

#include <cstdint>
#include <string>

namespace penstock {

// Files without a record: legal, but mostly a mistake of whoever made them.
struct EmptyFiles {
  uint64_t count = 0;
  std::string first;

  void Add(const std::string& path);
  // Says so on stdout where there are any.
  void Report() const;
};

}  // namespace penstock
