// Any bytes: CsvScanner finds the rows that a plain walker finds, and the
// reader gives them whatever its buffer.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/csv_reader.h"
#include "formats/corpora/csv_rows.h"
#include "formats/streams/memory_stream.h"
#include "tests/formats/corpora/csv_reference.h"
#include "tests/formats/corpora/text_fixture.h"

namespace penstock::testing {
namespace {

using Rows = std::vector<std::vector<std::string>>;

void Require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "csv_fuzz: %s\n", what);
  std::abort();
}

std::optional<Rows> ScanAll(std::string text) {
  const CsvScanner scanner(',', CsvQuotes::kRfc4180);
  Rows rows;
  for (size_t used = 0; used < text.size();) {
    const std::span<char> rest = std::span<char>(text).subspan(used);
    CsvRow row;
    const auto whole = scanner.Scan({rest.data(), rest.size()}, true, 1, row);
    if (!whole.ok()) return std::nullopt;
    Require(*whole && row.size_bytes > 0, "no step forward");
    if (!row.fields.empty()) rows.emplace_back();
    for (const CsvField& field : row.fields) {
      rows.back().emplace_back(CsvText(rest, field));
    }
    used += row.size_bytes;
  }
  return rows;
}

void TestOneInput(std::string_view text) {
  Require(ScanAll(std::string(text)) == ReferenceCsv(text, ','), "other rows");
  ReadOut whole;
  for (const size_t buffer_bytes : {1 << 20, 64}) {
    const ReadOut out = ReadAll(ReadCsv(MakeMemoryStream("f.csv", text),
                                        {.header = CsvHeader::kNone,
                                         .column = "#1",
                                         .invalid_utf8 = NotUtf8::kKeep,
                                         .buffer_bytes = buffer_bytes}));
    Require(out.status.code() != StatusCode::kInternal, "a bad block");
    if (buffer_bytes > 64) {
      whole = out;
      continue;
    }
    Require(out.records == whole.records, "records depend on the buffer");
    Require(out.places == whole.places, "places depend on the buffer");
    Require(out.status == whole.status, "the end depends on the buffer");
  }
}

}  // namespace
}  // namespace penstock::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  penstock::testing::TestOneInput({reinterpret_cast<const char*>(data), size});
  return 0;
}
