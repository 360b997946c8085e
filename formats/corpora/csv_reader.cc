#include "formats/corpora/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/corpora/csv_rows.h"
#include "formats/corpora/text_records.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

// The N of "#N".
std::optional<size_t> ColumnNumber(std::string_view column) {
  size_t number = 0;
  if (!column.starts_with('#')) return std::nullopt;
  const char* const end = column.data() + column.size();
  const auto [at, error] = std::from_chars(column.data() + 1, end, number);
  if (error != std::errc() || at != end || number == 0) return std::nullopt;
  return number;
}

std::string ListOf(const std::vector<std::string>& names) {
  constexpr size_t kMost = 12;
  std::string list;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) {
    list += fmt::format("{}{}", i > 0 ? ", " : "", Quoted(names[i]));
  }
  if (names.size() > kMost) list += ", ...";
  return list;
}

class CsvReader final : public TextRecords {
 public:
  CsvReader(std::unique_ptr<ByteStream> stream, CsvReadOptions options)
      : TextRecords(std::move(stream), options.buffer_bytes,
                    options.max_record_bytes, "row",
                    {.invalid_utf8 = options.invalid_utf8,
                     .part = BadPart::kRow,
                     .on_bad_part = options.on_bad_part}),
        options_(std::move(options)),
        scanner_(options_.delimiter, options_.quotes) {}

 private:
  StatusOr<size_t> Cut(std::span<char> bytes, bool at_end) override {
    size_t used = 0;
    rows_.clear();
    while (used < bytes.size()) {
      const std::span<char> rest = bytes.subspan(used);
      const auto whole =
          scanner_.Scan({rest.data(), rest.size()}, at_end, line(), row_);
      if (!whole.ok()) return AtRow(whole.status());
      if (!*whole) return used;
      if (!row_.fields.empty()) {
        const bool is_cut = rest[row_.size_bytes - 1] != '\n';
        PENSTOCK_RETURN_IF_ERROR(CheckSize(SizeOf(rest, is_cut)));
        Status taken = AtRow(TakeRow(rest, is_cut));
        // What is wrong with the first row is wrong with the file.
        if (!taken.ok() && row_number_ > 1 && options_.on_bad_part) {
          taken = options_.on_bad_part(BadPart::kRow, taken);
        }
        PENSTOCK_RETURN_IF_ERROR(taken);
        ++row_number_;
      }
      used += row_.size_bytes;
      PassLines(row_.lines);
    }
    return used;
  }

  // Of the row that `text` begins with, without its line end.
  size_t SizeOf(std::span<const char> text, bool is_cut) const {
    if (is_cut) return row_.size_bytes;
    const bool returns =
        row_.size_bytes > 1 && text[row_.size_bytes - 2] == '\r';
    return row_.size_bytes - (returns ? 2 : 1);
  }

  Status CheckEnd() const override {
    if (columns_ > 0 || options_.header == CsvHeader::kNone) {
      return OkStatus();
    }
    return AtRow(InvalidArgumentError("the file has no header row"));
  }

  std::string LocateByte(size_t i, size_t offset) const override {
    return fmt::format("{}: row {}: column {}: byte {} of the field", Locate(i),
                       rows_[i], column_ + 1, offset + 1);
  }

  Status TakeRow(std::span<char> text, bool is_cut) {
    if (columns_ == 0) {
      columns_ = row_.fields.size();
      if (options_.header == CsvHeader::kFirstRow) return TakeHeader(text);
      PENSTOCK_ASSIGN_OR_RETURN(column_, FindNumber());
    }
    if (row_.fields.size() != columns_) {
      return DataLossError(fmt::format(
          "has {} columns, the first row has {}{}", row_.fields.size(),
          columns_,
          is_cut ? "; it is the last row and has no line end: is the file cut "
                   "off?"
                 : ""));
    }
    PENSTOCK_RETURN_IF_ERROR(Add(CsvText(text, row_.fields[column_])));
    rows_.push_back(row_number_);
    return OkStatus();
  }

  Status TakeHeader(std::span<char> text) {
    std::vector<std::string> names;
    for (const CsvField& field : row_.fields) {
      names.emplace_back(CsvText(text, field));
    }
    const std::string& wanted = options_.column;
    const auto found = std::ranges::count(names, wanted);
    if (found > 1) {
      return InvalidArgumentError(fmt::format(
          "{} columns are called {}; choose one by its number, like \"#2\"",
          found, Quoted(wanted)));
    }
    if (found == 1) {
      column_ = std::ranges::find(names, wanted) - names.begin();
      return OkStatus();
    }
    if (ColumnNumber(wanted)) {
      PENSTOCK_ASSIGN_OR_RETURN(column_, FindNumber());
      return OkStatus();
    }
    return InvalidArgumentError(
        fmt::format("no column is called {}; there are {}{}", Quoted(wanted),
                    ListOf(names), DelimiterHint(names)));
  }

  StatusOr<size_t> FindNumber() const {
    const auto number = ColumnNumber(options_.column);
    if (!number) {
      return InvalidArgumentError(
          fmt::format("a file without a header needs the column's number, like "
                      "\"#1\", not {}",
                      Quoted(options_.column)));
    }
    if (*number > columns_) {
      return InvalidArgumentError(
          fmt::format("column {} is wanted, there are {}", *number, columns_));
    }
    return *number - 1;
  }

  std::string DelimiterHint(const std::vector<std::string>& names) const {
    if (names[0].starts_with("sep=")) {
      return "; take Excel's sep= line away and say that delimiter";
    }
    for (const char c : {',', ';', '\t', '|'}) {
      if (names.size() == 1 && names[0].find(c) != std::string::npos) {
        return fmt::format("; is the delimiter {}?",
                           Quoted(std::string_view(&c, 1)));
      }
    }
    return "";
  }

  Status AtRow(const Status& status) const {
    return Annotate(status,
                    fmt::format("{}: row {}", LocateLine(), row_number_));
  }

  const CsvReadOptions options_;
  const CsvScanner scanner_;
  CsvRow row_;
  uint64_t row_number_ = 1;
  std::vector<uint64_t> rows_;  // of the records of the block
  size_t columns_ = 0;          // 0 before the first row
  size_t column_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> ReadCsv(std::unique_ptr<ByteStream> stream,
                                      CsvReadOptions options) {
  return std::make_unique<CsvReader>(std::move(stream), std::move(options));
}

}  // namespace penstock
