// Any bytes: SequenceParser accepts them exactly where protobuf does, with the
// same values.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/formats/example/sequence_oracle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string disagreement = penstock::testing::SequenceDisagreement(
      {reinterpret_cast<const char*>(data), size});
  if (!disagreement.empty()) {
    std::fprintf(stderr, "%s\n", disagreement.c_str());
    std::abort();
  }
  return 0;
}
