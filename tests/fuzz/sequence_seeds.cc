#include "formats/example/sequence_writer.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  SequenceWriter writer;
  writer.context().SetInts("a", std::vector<int64_t>{0, 300, -1});
  writer.AddInts("a", std::vector<int64_t>{1, 128});
  writer.AddInts("a", std::vector<int64_t>{});
  writer.AddFloats("b", std::vector<float>{0.5f});
  writer.AddBytes("c", "some text");
  std::string written;
  writer.Finish(written);
  SequenceWriter longer;
  longer.context().SetBytes("label", "a label of some bytes");
  for (int64_t step = 0; step < 6; ++step) {
    longer.AddInts("tokens", std::vector<int64_t>{step, step << 20, -step});
    longer.AddFloats("weights", std::vector<float>{1.5f, -2.0f});
    longer.AddBytes("words", "w" + std::to_string(step));
  }
  std::string long_written;
  longer.Finish(long_written);
  return {written, long_written,
          Chunk(2, Chunk(1, Value(Chunk(1, Int64List(VarintField(1, 1)))) +
                                Key("a") + Value(Chunk(1, "")))) +
              Chunk(2, Group(9, VarintField(1, 1)))};
}

}  // namespace penstock::testing
