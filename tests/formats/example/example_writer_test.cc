#include "formats/example/example_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "formats/example/example.pb.h"
#include "tests/formats/example/example_generator.h"

namespace penstock::testing {
namespace {

// Map entries sorted by key, which protobuf promises within one build.
std::string DeterministicBytes(const wire::Example& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&out);
  out.Trim();
  return bytes;
}

std::string HexOf(ExampleWriter& writer) {
  std::string out;
  writer.Finish(out);
  return std::string(absl::BytesToHexString(out));
}

// Laid out by hand from the field numbers of feature.proto.
TEST(ExampleWriterTest, BytesAreThoseOfTheWireFormat) {
  ExampleWriter writer;
  writer.SetInts("b", std::vector<int64_t>{1, 300, -1});
  writer.SetFloats("c", std::vector<float>{1.0f});
  writer.SetBytes("a", "hi");
  EXPECT_EQ(HexOf(writer),
            "0a34"    // features, 52 bytes
            "0a0b"    // entry, 11 bytes
            "0a0161"  // key "a"
            "12060a04"
            "0a026869"  // bytes_list { "hi" }
            "0a16"      // entry, 22 bytes
            "0a0162"    // key "b"
            "12111a0f"
            "0a0d"  // int64_list, 13 bytes packed
            "01"
            "ac02"                  // 1, 300
            "ffffffffffffffffff01"  // -1
            "0a0d"                  // entry, 13 bytes
            "0a0163"                // key "c"
            "12081206"
            "0a040000803f");  // float_list { 1.0 }
}

TEST(ExampleWriterTest, EmptyListsKeepTheirKind) {
  ExampleWriter writer;
  writer.SetInts("i", {});
  writer.SetFloats("f", {});
  EXPECT_EQ(HexOf(writer),
            "0a12"
            "0a07"
            "0a0166"
            "12021200"
            "0a07"
            "0a0169"
            "12021a00");
}

TEST(ExampleWriterTest, NoFeaturesMakeAnEmptyFeatures) {
  ExampleWriter writer;
  EXPECT_EQ(HexOf(writer), "0a00");
}

TEST(ExampleWriterTest, TheOrderOfCallsDoesNotShow) {
  ExampleWriter one;
  one.SetBytes("k\xc3\xa9y", "v");
  one.SetInts("key", std::vector<int64_t>{1});
  ExampleWriter other;
  other.SetInts("key", std::vector<int64_t>{1});
  other.SetBytes("k\xc3\xa9y", "v");
  EXPECT_EQ(HexOf(one), HexOf(other));
}

TEST(ExampleWriterTest, ALaterValueReplacesAnEarlierOne) {
  ExampleWriter writer;
  writer.SetBytes("x", "first");
  writer.SetInts("x", std::vector<int64_t>{7});
  ExampleWriter plain;
  plain.SetInts("x", std::vector<int64_t>{7});
  EXPECT_EQ(HexOf(writer), HexOf(plain));
}

TEST(ExampleWriterTest, FinishForgetsTheFeaturesAndAppends) {
  ExampleWriter writer;
  writer.SetBytes("a", "x");
  writer.SetBytes("b", "x");
  writer.SetBytes("c", "x");
  std::string out = "before";
  writer.Finish(out);
  EXPECT_EQ(out.substr(0, 8), "before\x0a\x24");
  EXPECT_EQ(HexOf(writer), "0a00");
  writer.SetBytes("b", "y");
  EXPECT_EQ(HexOf(writer),
            "0a0c"
            "0a0a"
            "0a0162"
            "12050a03"
            "0a0179");
}

TEST(ExampleWriterTest, BytesEqualProtobufsDeterministicOnes) {
  ExampleGenerator generator(11);
  ExampleWriter writer;
  int compared = 0;
  for (int round = 0; round < 5000; ++round) {
    wire::Example message = generator.Message();
    auto& features = *message.mutable_features()->mutable_feature();
    for (const char* name : {"a", "b", "c"}) {
      const auto found = features.find(name);
      if (found == features.end()) continue;
      wire::Feature& feature = found->second;
      if (feature.has_int64_list()) {
        const auto& v = feature.int64_list().value();
        writer.SetInts(name, {v.data(), size_t(v.size())});
      } else if (feature.has_float_list()) {
        const auto& v = feature.float_list().value();
        writer.SetFloats(name, {v.data(), size_t(v.size())});
      } else {  // the writer gives a bytes feature exactly one value
        std::string value(round % 400, static_cast<char>(round));
        feature.mutable_bytes_list()->clear_value();
        feature.mutable_bytes_list()->add_value(value);
        writer.SetBytes(name, value);
      }
      ++compared;
    }
    std::string out;
    writer.Finish(out);
    ASSERT_EQ(absl::BytesToHexString(out),
              absl::BytesToHexString(DeterministicBytes(message)));
  }
  EXPECT_GT(compared, 5000);
}

}  // namespace
}  // namespace penstock::testing
