// Which of the wanted features a name is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// A fixed set of distinct names.
//
// Cost:    a lookup takes a few ns whatever the size of the set.
// Threads: any number at a time.
class FeatureNames {
 public:
  explicit FeatureNames(std::vector<std::string> names);

  // The place of `name` in the list given.
  std::optional<size_t> Find(std::string_view name) const;

 private:
  static constexpr uint32_t kEmpty = UINT32_MAX;

  std::vector<std::string> names_;
  std::vector<uint32_t> slots_;  // open addressing; a power of two, half empty
};

}  // namespace penstock
