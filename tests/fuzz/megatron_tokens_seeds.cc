#include "tests/fuzz/seeds.h"
#include "tests/support/token_files.h"

namespace penstock::testing {
namespace {

std::string PairOf(const TokenFiles& files) {
  std::string input;
  AppendNumber(static_cast<uint16_t>(files.bin.size()), input);
  return input + files.idx + files.bin;
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  const std::vector<std::vector<int64_t>> some = {
      {1, 2, 3}, {4, 5}, {}, {6}, {7, 8, 9, 10}};
  // More than one stride of offsets.
  const std::vector<std::vector<int64_t>> many(70, {1, 2});
  TokenFiles with_modes = MakeTokenFiles<uint16_t>(some, 8);
  with_modes.idx.append(some.size(), '\0');
  TokenFiles longer = MakeTokenFiles<uint16_t>(some, 8);
  longer.bin += "more";
  return {PairOf(MakeTokenFiles<uint16_t>(some, 8)),
          PairOf(MakeTokenFiles<int32_t>(some, 4, {0, 2, 2, 5})),
          PairOf(MakeTokenFiles<uint8_t>(many, 1)),
          PairOf(MakeTokenFiles<int8_t>(some, 2)),
          PairOf(MakeTokenFiles<int16_t>(some, 3)),
          PairOf(MakeTokenFiles<int64_t>(some, 5)),
          PairOf(MakeTokenFiles<double>(some, 6)),
          PairOf(MakeTokenFiles<uint16_t>({}, 8, {0})),
          PairOf(with_modes),
          PairOf(longer)};
}

}  // namespace penstock::testing
