// Hashes what decides a tokenizer's ids. Stable: the same on every machine and
// in every release, so that it may be stored and compared.
#pragma once

#include <cstdint>
#include <string_view>

namespace penstock {

// FNV-1a (64 bits) over length-prefixed fields, with a final mix.
//
// Cost:    about 1 ns a byte, AddLong an eighth; used at load only.
// Source:  Fowler, Noll and Vo; the final mix is MurmurHash3's fmix64.
class Fingerprinter {
 public:
  Fingerprinter& Add(std::string_view bytes);
  Fingerprinter& Add(uint64_t number);
  // A hash of `bytes` that takes eight at a time: not what Add makes of them.
  Fingerprinter& AddLong(std::string_view bytes);

  uint64_t Finish() const;

 private:
  uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace penstock
