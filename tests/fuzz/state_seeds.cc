#include "pipeline/state.h"
#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  State state = {.graph = {{"the data", 7}, {"Batch", ~uint64_t{0}}},
                 .epoch = 3,
                 .step = uint64_t{1} << 40,
                 .held = {{.record = 1}, {.record = 70'000, .begin = 7}},
                 .units = {{2, 60}}};
  std::vector<std::string> seeds = {FormatState({}), FormatState(state)};
  state.ahead = {{.record = 3}};
  state.taken = {{1, 2}, {300, 0}};
  state.lineage = {{.graph = {{"Batch", 1}}, .step = 9, .taken = {{5, 6}}}};
  seeds.push_back(FormatState(state));
  seeds.emplace_back("2:AQACAAMA");
  return seeds;
}

}  // namespace penstock::testing
