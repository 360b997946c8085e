// Random Examples for differential tests. The same seed gives the same ones.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "formats/example/example.pb.h"

namespace penstock::testing {

class ExampleGenerator {
 public:
  explicit ExampleGenerator(uint64_t seed) : random_(seed) {}

  // Uniform in [0, n).
  uint64_t Below(uint64_t n) { return random_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

  // A message as a writer would fill it, of features "a", "b", "c".
  wire::Example Message();

  // Well-formed wire bytes that no writer makes: any order, split and repeated
  // lists, several kinds and keys, unknown fields and groups everywhere, long
  // varints; a few times in a hundred, something protobuf refuses.
  std::string Wire();

  // `record` with one byte changed, taken out or put in, or the end cut off.
  std::string Mutated(std::string record);

 private:
  int64_t Int();
  float Float();
  std::string Bytes();
  std::string Name();
  std::string Number(uint64_t value);  // a varint, sometimes a long one
  std::string Unknown(int depth);
  std::string List(int kind);
  std::string FeatureFields();
  std::string EntryFields();

  std::mt19937_64 random_;
};

}  // namespace penstock::testing
