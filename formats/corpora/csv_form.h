// How a CSV file is written.
#pragma once

namespace penstock {

enum class CsvHeader {
  kFirstRow,  // the first row names the columns
  kNone,      // the first row is data; columns have numbers only
};

enum class CsvQuotes {
  kRfc4180,  // around fields with delimiters, line ends or (doubled) quotes
  kNone,     // a quote is a character like any other, as in many TSV files
};

}  // namespace penstock
