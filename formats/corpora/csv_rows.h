// Where the rows and fields of CSV text begin and end (RFC 4180).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/corpora/csv_form.h"
#include "formats/files/status_or.h"

namespace penstock {

// The content of a field, without the quotes around it.
struct CsvField {
  size_t begin = 0;  // in the text scanned
  size_t end = 0;
  bool doubled = false;  // has quotes written as two
};

struct CsvRow {
  std::vector<CsvField> fields;  // none for an empty line
  size_t size_bytes = 0;         // with its line end
  uint64_t lines = 0;            // it takes; more than 1 by quoted line ends
};

// Strict: what spreadsheets and parsers read in more than one way is an error,
// so that no field ever shifts in silence.
//
// Threads: one at a time.
class CsvScanner {
 public:
  static constexpr size_t kMaxColumns = 65536;

  CsvScanner(char delimiter, CsvQuotes quotes);

  // Puts the row at the front of `text`, which is not empty, into `row`; false
  // where its end is not there and, since not `at_end`, more may come.
  // Errors:  kDataLoss for a quote that is never closed, stands inside a field
  //          without quotes or is followed by more, for a carriage return
  //          alone and for NUL; kResourceExhausted over kMaxColumns. They name
  //          the column; lines are counted from `first_line`.
  StatusOr<bool> Scan(std::string_view text, bool at_end, uint64_t first_line,
                      CsvRow& row) const;

 private:
  const char delimiter_;
  const bool quotes_;
  std::array<bool, 256> ends_plain_ = {};
};

// The field's content with doubled quotes made single, in place.
std::string_view CsvText(std::span<char> text, const CsvField& field);

}  // namespace penstock
