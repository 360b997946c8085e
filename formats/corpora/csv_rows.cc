#include "formats/corpora/csv_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr size_t kNotFound = std::string_view::npos;

Status Bad(const CsvRow& row, std::string_view what) {
  return DataLossError(
      fmt::format("column {}: {}", row.fields.size() + 1, what));
}

// Scans the quoted field that opens at `at`, and returns where it closes:
// nullopt where that is not there.
std::optional<size_t> CloseQuote(std::string_view text, size_t at, bool at_end,
                                 CsvField& field) {
  field = {.begin = at + 1};
  for (size_t from = at + 1;;) {
    const size_t quote = text.find('"', from);
    if (quote == kNotFound) return std::nullopt;
    if (quote + 1 == text.size() && !at_end) return std::nullopt;
    if (quote + 1 < text.size() && text[quote + 1] == '"') {
      field.doubled = true;
      from = quote + 2;
      continue;
    }
    field.end = quote;
    return quote + 1;
  }
}

}  // namespace

CsvScanner::CsvScanner(char delimiter, CsvQuotes quotes)
    : delimiter_(delimiter), quotes_(quotes == CsvQuotes::kRfc4180) {
  for (const char c : {delimiter_, '\n', '\r', '\0'}) {
    ends_plain_[static_cast<uint8_t>(c)] = true;
  }
  if (quotes_) ends_plain_['"'] = true;
}

StatusOr<bool> CsvScanner::Scan(std::string_view text, bool at_end,
                                uint64_t first_line, CsvRow& row) const {
  row.fields.clear();
  row.lines = 1;
  size_t at = 0;
  while (true) {
    CsvField field{.begin = at};
    if (quotes_ && at < text.size() && text[at] == '"') {
      const auto closed = CloseQuote(text, at, at_end, field);
      if (!closed) {
        if (!at_end) return false;
        return Bad(row, fmt::format("the quote that opens in line {} is never "
                                    "closed",
                                    first_line + row.lines - 1));
      }
      const std::string_view content =
          text.substr(field.begin, field.end - field.begin);
      if (content.find('\0') != kNotFound) return Bad(row, "holds a NUL byte");
      row.lines += std::ranges::count(content, '\n');
      at = *closed;
    } else {
      while (at < text.size() && !ends_plain_[static_cast<uint8_t>(text[at])]) {
        ++at;
      }
      field.end = at;
      if (at < text.size() && text[at] == '"') {
        return Bad(row,
                   "a quote inside a field that does not start with one; if "
                   "quotes mean nothing in this file, say CsvQuotes::kNone");
      }
    }
    if (at < text.size() && text[at] == delimiter_) {
      row.fields.push_back(field);
      ++at;
      if (row.fields.size() >= kMaxColumns) {
        return ResourceExhaustedError(
            fmt::format("has more than {} columns", kMaxColumns));
      }
      continue;
    }
    // The row ends here, or is wrong.
    if (at == text.size() && !at_end) return false;
    size_t after = at;
    if (at < text.size() && text[at] == '\r') {
      ++after;
      if (after == text.size() && !at_end) return false;
    }
    if (after < text.size() && text[after] == '\n') {
      ++after;
    } else if (after > at) {
      return Bad(row, "a carriage return without a line feed after it");
    } else if (at < text.size()) {
      return Bad(row, text[at] == '\0' ? "holds a NUL byte"
                                       : "more follows the closing quote");
    }
    const bool empty_line = row.fields.empty() && at == 0;
    if (!empty_line) row.fields.push_back(field);
    row.size_bytes = after;
    return true;
  }
}

std::string_view CsvText(std::span<char> text, const CsvField& field) {
  char* const begin = text.data() + field.begin;
  const size_t size = field.end - field.begin;
  if (!field.doubled) return {begin, size};
  size_t kept = 0;
  for (size_t i = 0; i < size; ++i) {
    begin[kept++] = begin[i];
    if (begin[i] == '"') ++i;  // the second of two
  }
  return {begin, kept};
}

}  // namespace penstock
