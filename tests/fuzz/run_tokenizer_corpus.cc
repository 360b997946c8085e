// Runs tokenizer_fuzz without a fuzzer: over the files named, or over texts and
// vocabulary files, and many single-byte corruptions and cuts of them.

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/tokenizer/tiny_vocabulary.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace penstock::testing {
namespace {

uint64_t runs = 0;

void Run(char choice, const std::string& bytes) {
  const std::string input = choice + bytes;
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                         input.size());
  ++runs;
}

// At every `stride`-th byte.
void RunWithCorruptions(char choice, const std::string& seed, size_t stride) {
  Run(choice, seed);
  for (size_t i = 0; i < seed.size(); i += stride) {
    Run(choice, seed.substr(0, i));
    for (const int change : {0x01, 0x10, 0x80, 0xff}) {
      std::string bad = seed;
      bad[i] = static_cast<char>(bad[i] ^ change);
      Run(choice, bad);
    }
  }
}

int Main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    std::ifstream in(names[i], std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                           bytes.size());
  }
  if (count > 1) return 0;
  RunWithCorruptions(0, "YWI= 256\r\n\nYWJj 257\n", 1);
  auto json = TinyJson({"ab", "abc"}, {"a b", "ab c"});
  json["added_tokens"] = {AddedToken("<x>", 258)};
  RunWithCorruptions(1, json.dump(), 7);
  const std::string text =
      "It's  the\r\n\n 1234 \xe6\x97\xa5\xe6\x9c\xac e\xcc\x81 "
      "<|endoftext|>\xf0\x9f\x98\x80 \xc2\x85 aaaaa'\xc5\xbf \t\n ";
  for (char choice = 2; choice < 8; ++choice) {
    RunWithCorruptions(choice, text, 1);
  }
  std::printf("%llu inputs\n", static_cast<unsigned long long>(runs));
  return runs > 1000 ? 0 : 1;
}

}  // namespace
}  // namespace penstock::testing

int main(int count, char** names) {
  return penstock::testing::Main(count, names);
}
