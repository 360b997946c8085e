// Reads the text in one column of a CSV or TSV file. docs/formats/csv.md says
// what is accepted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "formats/corpora/csv_form.h"
#include "formats/corpora/utf8_check.h"
#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"
#include "formats/streams/byte_stream.h"

namespace penstock {

struct CsvReadOptions {
  char delimiter = ',';
  CsvHeader header = CsvHeader::kFirstRow;
  CsvQuotes quotes = CsvQuotes::kRfc4180;
  // The column that holds the text: its name, or "#2" for the second.
  std::string column = "text";
  NotUtf8 invalid_utf8 = NotUtf8::kFail;
  // Asked about each row that is refused by invalid_utf8 or has another number
  // of fields than the first. Without its quotes in order no row ends.
  OnBadPart on_bad_part = nullptr;
  // Bytes asked of the file at once; also about the size of a block.
  size_t buffer_bytes = 256 << 10;
  // A longer row is kResourceExhausted.
  uint64_t max_record_bytes = 1ull << 30;
};

// A row gives one record, an empty field too; empty lines are no rows. Located
// as "f.csv:17", the line where the row begins.
// Errors:  those of ByteStream and CsvScanner; kInvalidArgument where the
//          header does not name the column once; kDataLoss for a row with more
//          or fewer fields than the first and for text that is not UTF-8,
//          other columns aside. Each names the row, counted from 1
//          with the header.
std::unique_ptr<RecordReader> ReadCsv(std::unique_ptr<ByteStream> stream,
                                      CsvReadOptions options = {});

}  // namespace penstock
