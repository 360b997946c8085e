// Runs a fuzz target without a fuzzer: over the files named, or over its seeds
// and single-byte corruptions and cuts of them: at all places of a small seed,
// at evenly spread ones of a large.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/seeds.h"
#include "tests/support/effort.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace penstock::testing {
namespace {

constexpr size_t kMaxPlaces = 1000;

uint64_t runs = 0;

void Run(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size());
  ++runs;
}

void RunWithCorruptions(const std::string& seed) {
  Run(seed);
  Run(seed + seed);
  const size_t stride = 1 + seed.size() / kMaxPlaces;
  constexpr int kChanges[] = {0, 0x01, 0x80, 0xff};  // 0: cut off
  size_t done = 0;
  for (size_t i = 0; i < seed.size(); i += stride) {
    for (const int change : kChanges) {
      // A sanitizer is given every fifth of them, so that all kinds are met.
      if (kCaseStride > 1 && done++ % 5 != 0) continue;
      std::string bad = seed.substr(0, change == 0 ? i : seed.size());
      if (change != 0) bad[i] = static_cast<char>(bad[i] ^ change);
      Run(bad);
    }
  }
}

int Main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    std::ifstream in(names[i], std::ios::binary);
    Run({std::istreambuf_iterator<char>(in), {}});
  }
  if (count > 1) return 0;
  for (const std::string& seed : FuzzSeeds()) RunWithCorruptions(seed);
  std::printf("%llu inputs\n", static_cast<unsigned long long>(runs));
  return runs * kCaseStride > 1000 ? 0 : 1;
}

}  // namespace
}  // namespace penstock::testing

int main(int count, char** names) {
  return penstock::testing::Main(count, names);
}
