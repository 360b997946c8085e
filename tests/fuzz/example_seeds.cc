#include "formats/example/example_writer.h"
#include "tests/formats/wire/wire_builder.h"
#include "tests/fuzz/seeds.h"

namespace penstock::testing {

std::vector<std::string> FuzzSeeds() {
  ExampleWriter writer;
  writer.SetBytes("a", "some text");
  writer.SetInts("b", std::vector<int64_t>{0, 127, 128, 16384, -1});
  writer.SetFloats("c", std::vector<float>{0.5f, -1});
  std::string written;
  writer.Finish(written);

  const std::string unknown =
      Group(9, Fixed64Field(1, "12345678") + Group(8, VarintField(1, 300)));
  const std::string odd =
      Record(Chunk(1, Value(Int64List(VarintField(1, 1) + unknown)) + Key("a") +
                          Value(Int64List(Chunk(1, "\1\2")))) +
             Entry("a", FloatList(Fixed32Field(1, "1234")) +
                            BytesList(Chunk(1, "x")))) +
      unknown;
  return {
      written, odd,
      Record(Entry("b", Int64List(Chunk(1, std::string(100, '\x81') + "\1"))))};
}

}  // namespace penstock::testing
