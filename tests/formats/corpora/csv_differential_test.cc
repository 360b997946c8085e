// CsvScanner against Python's csv module and against a walker that is written
// another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/csv_reader.h"
#include "formats/corpora/csv_rows.h"
#include "formats/streams/memory_stream.h"
#include "tests/formats/corpora/csv_reference.h"
#include "tests/formats/corpora/text_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using CsvRows = std::vector<std::vector<std::string>>;

struct CsvCase {
  std::string text;
  std::optional<CsvRows> rows;  // none where it is no CSV
};

const std::vector<CsvCase> kCsvCases = {
#include "tests/formats/corpora/csv_cases.inc"
};

// All rows of a text; none where it is refused.
std::optional<CsvRows> ScanAll(std::string text, char delimiter = ',') {
  const CsvScanner scanner(delimiter, CsvQuotes::kRfc4180);
  CsvRows rows;
  size_t used = 0;
  while (used < text.size()) {
    const std::span<char> rest = std::span<char>(text).subspan(used);
    CsvRow row;
    const auto whole = scanner.Scan({rest.data(), rest.size()}, true, 1, row);
    if (!whole.ok()) return std::nullopt;
    EXPECT_TRUE(*whole);
    if (!row.fields.empty()) rows.emplace_back();
    for (const CsvField& field : row.fields) {
      rows.back().emplace_back(CsvText(rest, field));
    }
    used += row.size_bytes;
  }
  return rows;
}

TEST(CsvDifferentialTest, AgreesWithPythonsCsvModule) {
  size_t accepted = 0;
  for (const CsvCase& one : kCsvCases) {
    EXPECT_EQ(ScanAll(one.text), one.rows) << one.text;
    accepted += one.rows.has_value();
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, kCsvCases.size() - 100);
}

TEST(CsvDifferentialTest, TheReferenceAgreesWithPythonsCsvModule) {
  for (const CsvCase& one : kCsvCases) {
    EXPECT_EQ(ReferenceCsv(one.text, ','), one.rows) << one.text;
  }
}

std::string RandomText(std::mt19937& random) {
  static constexpr std::string_view kParts[] = {"a",
                                                "bc",
                                                ",",
                                                ",",
                                                "\"",
                                                "\"\"",
                                                "\n",
                                                "\r\n",
                                                "\",\"",
                                                "\"\n",
                                                "\n\"",
                                                "\r",
                                                std::string_view("\0", 1),
                                                "\xc3\xa9"};
  std::string text;
  const size_t parts = random() % 20;
  for (size_t i = 0; i < parts; ++i) {
    // The last ones are always refused in some places: rarely.
    const size_t among = random() % 40 == 0 ? std::size(kParts) : 11;
    text += kParts[random() % among];
  }
  return text;
}

TEST(CsvDifferentialTest, AgreesWithTheReferenceOnRandomText) {
  std::mt19937 random(4180);
  size_t accepted = 0;
  for (int i = 0; i < 30'000; ++i) {
    const std::string text = RandomText(random);
    const auto expected = ReferenceCsv(text, ',');
    ASSERT_EQ(ScanAll(text), expected) << text;
    accepted += expected.has_value();
  }
  EXPECT_GT(accepted, 3000);
}

// A row is the same however little is there when it is first looked at.
TEST(CsvDifferentialTest, ARowIsNeverCutTooEarly) {
  const CsvScanner scanner(',', CsvQuotes::kRfc4180);
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    const std::string text = RandomText(random);
    if (text.empty()) continue;
    CsvRow whole;
    const auto result = scanner.Scan(text, true, 1, whole);
    for (size_t size = 1; size <= text.size(); ++size) {
      CsvRow row;
      const auto early = scanner.Scan(text.substr(0, size), false, 1, row);
      if (!early.ok()) {
        ASSERT_FALSE(result.ok()) << text;
      } else if (*early) {
        ASSERT_TRUE(result.ok());
        ASSERT_EQ(row.size_bytes, whole.size_bytes) << text;
        ASSERT_EQ(row.fields.size(), whole.fields.size());
        ASSERT_EQ(row.lines, whole.lines);
      }
    }
  }
}

// Through the reader with a buffer of 64 bytes: rows lie across its end.
TEST(CsvDifferentialTest, RandomTablesComeBackColumnByColumn) {
  std::mt19937 random(99);
  for (int i = 0; i < 300; ++i) {
    const size_t columns = 1 + random() % 4;
    const size_t rows = 1 + random() % 40;
    std::vector<std::vector<std::string>> cells(columns);
    std::string text;
    for (size_t row = 0; row < rows; ++row) {
      for (size_t column = 0; column < columns; ++column) {
        std::string cell = RandomText(random);
        std::erase(cell, '\0');
        cells[column].push_back(cell);
        text += column > 0 ? ",\"" : "\"";
        for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
        text += '"';
      }
      text += random() % 2 == 0 ? "\n" : "\r\n";
    }
    for (size_t column = 0; column < columns; ++column) {
      const ReadOut out =
          ReadAll(ReadCsv(MakeMemoryStream("t.csv", text),
                          {.header = CsvHeader::kNone,
                           .column = "#" + std::to_string(column + 1),
                           .buffer_bytes = 64}));
      ASSERT_OK(out.status);
      ASSERT_EQ(out.records, cells[column]);
    }
  }
}

}  // namespace
}  // namespace penstock::testing
