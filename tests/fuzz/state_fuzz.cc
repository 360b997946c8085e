// Any bytes, read as the text of a state; and any state, written and read.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/state.h"
#include "pipeline/state/packed_numbers.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "state_fuzz: %s\n", what);
  std::abort();
}

void ReadText(std::string_view text) {
  const auto state = ParseState(text);
  if (!state.ok()) return;
  const auto again = ParseState(FormatState(*state));
  Require(again.ok() && *again == *state, "a state does not survive a trip");
}

void ReadNumbers(std::string_view text) {
  for (const uint64_t count : {text.size() / 3, text.size() / 2}) {
    const auto numbers = UnpackNumbers(text, count);
    if (!numbers) continue;
    Require(UnpackNumbers(PackNumbers(*numbers), count) == numbers,
            "numbers do not survive a trip");
  }
}

// Makes a state of bytes; zeros where they end.
class Maker {
 public:
  explicit Maker(std::string_view bytes) : bytes_(bytes) {}

  State Make() {
    State state = {.graph = Graph(),
                   .epoch = Number(),
                   .step = Number(),
                   .step_in_epoch = Number(),
                   .position = Number(),
                   .held = Held(),
                   .ahead = Held(),
                   .taken = Taken(),
                   .window_begin = Number(),
                   .counts = Counts()};
    std::vector<PlanBegin> lineage(Few());
    for (PlanBegin& plan : lineage) {
      plan = {.graph = Graph(),
              .step = Number(),
              .epoch = Number(),
              .position = Number(),
              .counts = Counts(),
              .taken = Taken()};
    }
    state.lineage = std::move(lineage);
    state.units.resize(Few());
    for (UnitPlace& unit : state.units) unit = {Number(), Number()};
    return state;
  }

 private:
  uint8_t Byte() {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }
  size_t Few() { return Byte() % 5; }
  // Of any number of bytes, so that small and large ones come.
  uint64_t Number() {
    uint64_t number = 0;
    for (int left = Byte() % 9; left > 0; --left) number = number << 8 | Byte();
    return number;
  }
  std::vector<StatePart> Graph() {
    std::vector<StatePart> graph(Few());
    for (StatePart& part : graph) {
      // Graphs give each part a name of its own, in UTF-8.
      part.name = std::to_string(&part - graph.data());
      part.name += static_cast<char>(Byte() & 0x7f);
      part.fingerprint = Number();
    }
    return graph;
  }
  std::vector<HeldPiece> Held() {
    std::vector<HeldPiece> held(Few());
    for (HeldPiece& piece : held) {
      piece = {.record = Number(),
               .begin = static_cast<uint32_t>(Number()),
               .bin = static_cast<uint32_t>(Number())};
    }
    return held;
  }
  std::vector<MixTaken> Taken() {
    std::vector<MixTaken> taken(Few());
    for (MixTaken& one : taken) one = {Number(), Number()};
    return taken;
  }
  PipelineCounts Counts() {
    return {.records = Number(),
            .rows = Number(),
            .pad_rows = Number(),
            .dropped = Number(),
            .truncated = Number(),
            .forced = Number()};
  }

  std::string_view bytes_;
};

void WriteAndRead(std::string_view bytes) {
  const State state = Maker(bytes).Make();
  const std::string text = FormatState(state);
  const auto read = ParseState(text);
  Require(read.ok(), "a state that was written is refused");
  Require(*read == state, "a state is read as another");
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  penstock::testing::ReadText(bytes);
  penstock::testing::ReadNumbers(bytes);
  penstock::testing::WriteAndRead(bytes);
  return 0;
}
