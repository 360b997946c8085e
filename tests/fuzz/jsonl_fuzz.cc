// Any bytes as JSON Lines: the records are those that another JSON library
// finds line by line, whatever the size of the buffer, and nothing else.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/json_check.h"
#include "formats/corpora/jsonl_reader.h"
#include "formats/streams/memory_stream.h"
#include "tests/formats/corpora/text_fixture.h"

namespace penstock::testing {
namespace {

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "jsonl_fuzz: %s\n", what);
  std::abort();
}

struct Lines {
  std::vector<std::string> records;
  size_t bad = 0;
};

// What a plain walker makes of the file.
Lines Expect(std::string_view text) {
  Lines lines;
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto document = nlohmann::json::parse(line, nullptr, false);
    const bool refused = FindJsonFault(line).has_value();
    Require(refused || !document.is_discarded(), "took what is no JSON");
    if (!refused && document.is_object() && document.contains("t") &&
        document["t"].is_string()) {
      lines.records.push_back(document["t"]);
    } else {
      ++lines.bad;
    }
  }
  return lines;
}

ReadOut Read(std::string_view bytes, size_t buffer, JsonLeniency leniency,
             size_t& bad) {
  return ReadAll(ReadJsonl(MakeMemoryStream("f.jsonl", bytes),
                           {.field = "t",
                            .on_bad_part =
                                [&](BadPart, const Status& status) {
                                  Require(
                                      status.message().find("f.jsonl:") == 0,
                                      "an error without its place");
                                  ++bad;
                                  return OkStatus();
                                },
                            .leniency = leniency,
                            .buffer_bytes = buffer}));
}

void TestOneInput(std::string_view bytes) {
  size_t bad = 0, bad_small = 0, bad_mended = 0;
  const ReadOut out = Read(bytes, 1 << 20, {}, bad);
  const ReadOut small = Read(bytes, 64, {}, bad_small);
  Require(out.status.code() == small.status.code(), "the end varies");
  if (!out.status.ok()) {
    Require(out.status.code() == StatusCode::kInvalidArgument,
            "an end that is no refusal");
    return;
  }
  Require(out.records == small.records && out.places == small.places &&
              bad == bad_small,
          "records vary with the buffer");
  const Lines expected = Expect(bytes);
  Require(out.records == expected.records, "other records");
  Require(bad == expected.bad, "other lines refused");
  const ReadOut mended =
      Read(bytes, 1 << 20, {.numbers = true, .unicode = true}, bad_mended);
  Require(mended.records.size() >= out.records.size() && bad_mended <= bad,
          "mending lost lines");
  Require(mended.records.size() + bad_mended == out.records.size() + bad,
          "a line is missing");
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
