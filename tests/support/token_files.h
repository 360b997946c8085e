// Files of Megatron-LM, written byte by byte as its format says.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace penstock::testing {

struct TokenFiles {
  std::string idx;
  std::string bin;
};

template <typename T>
void AppendNumber(T number, std::string& to) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  to.append(bytes, sizeof number);
}

// `sequences` as numbers of type T, whose code is `type`; `bounds` are the
// first sequence of each document and the end, by default each a document.
template <typename T>
TokenFiles MakeTokenFiles(const std::vector<std::vector<int64_t>>& sequences,
                          uint8_t type, std::vector<uint64_t> bounds = {}) {
  TokenFiles files;
  if (bounds.empty()) {
    for (uint64_t d = 0; d <= sequences.size(); ++d) bounds.push_back(d);
  }
  files.idx.assign("MMIDIDX\0\0", 9);
  AppendNumber<uint64_t>(1, files.idx);
  AppendNumber<uint8_t>(type, files.idx);
  AppendNumber<uint64_t>(sequences.size(), files.idx);
  AppendNumber<uint64_t>(bounds.size(), files.idx);
  for (const auto& sequence : sequences) {
    AppendNumber(static_cast<int32_t>(sequence.size()), files.idx);
  }
  for (const auto& sequence : sequences) {
    AppendNumber<int64_t>(static_cast<int64_t>(files.bin.size()), files.idx);
    for (const int64_t token : sequence) {
      AppendNumber(static_cast<T>(token), files.bin);
    }
  }
  for (const uint64_t bound : bounds) AppendNumber(bound, files.idx);
  return files;
}

}  // namespace penstock::testing
