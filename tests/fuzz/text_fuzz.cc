// Any bytes as text: lines and paragraphs are those that a plain walker finds,
// whatever the size of the buffer.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/text_reader.h"
#include "formats/streams/memory_stream.h"
#include "tests/formats/corpora/text_fixture.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "text_fuzz: %s\n", what);
  std::abort();
}

// Every line with where it begins, without its end.
struct PlainLine {
  std::string text;
  std::string end;
};

std::vector<PlainLine> LinesOf(std::string_view text) {
  std::vector<PlainLine> lines;
  while (!text.empty()) {
    const size_t feed = text.find('\n');
    std::string_view line = text.substr(0, feed);
    std::string end = feed == text.npos ? "" : "\n";
    text.remove_prefix(line.size() + end.size());
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
      end = "\r" + end;
    }
    lines.push_back({std::string(line), end});
  }
  return lines;
}

std::vector<std::string> Expect(std::string_view text, TextUnit unit) {
  std::vector<std::string> records;
  std::string paragraph, between;
  for (const PlainLine& line : LinesOf(text)) {
    if (unit == TextUnit::kLine) {
      if (!line.text.empty()) records.push_back(line.text);
      continue;
    }
    if (!line.text.empty()) {
      paragraph += between + line.text;
      between = line.end;
      continue;
    }
    if (!paragraph.empty()) records.push_back(paragraph);
    paragraph.clear();
    between.clear();
  }
  if (!paragraph.empty()) records.push_back(paragraph);
  return records;
}

ReadOut Read(std::string_view bytes, TextUnit unit, size_t buffer) {
  return ReadAll(ReadText(
      MakeMemoryStream("f.txt", bytes),
      {.unit = unit, .invalid_utf8 = NotUtf8::kKeep, .buffer_bytes = buffer}));
}

void TestOneInput(std::string_view bytes) {
  for (const TextUnit unit :
       {TextUnit::kLine, TextUnit::kParagraph, TextUnit::kFile}) {
    const ReadOut out = Read(bytes, unit, 1 << 20);
    const ReadOut small = Read(bytes, unit, 64);
    Require(out.status == small.status, "the end varies");
    Require(out.records == small.records, "records vary with the buffer");
    Require(out.places == small.places, "places vary with the buffer");
    if (!out.status.ok()) {
      Require(out.status.code() == StatusCode::kInvalidArgument,
              "an end that is no refusal");
      return;
    }
    std::string_view text = bytes;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    if (unit != TextUnit::kFile) {
      Require(out.records == Expect(text, unit), "other records");
    } else {
      Require(text.empty() ? out.records.empty()
                           : out.records == std::vector{std::string(text)},
              "another file");
    }
  }
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
