// RFC 4180 in the plainest way: one byte, one state, no look at speed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace penstock::testing {

// All rows but empty lines; none where the text is not in the grammar.
inline std::optional<std::vector<std::vector<std::string>>> ReferenceCsv(
    std::string_view text, char delimiter) {
  enum { kStart, kPlain, kQuoted, kAfterQuote, kReturn } state = kStart;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row;
  std::string field;
  bool was_quoted = false;
  const auto end_field = [&] {
    row.push_back(field);
    field.clear();
    state = kStart;
  };
  const auto end_row = [&] {
    const bool empty_line = row.empty() && field.empty() && !was_quoted;
    end_field();
    if (!empty_line) rows.push_back(row);
    row.clear();
    was_quoted = false;
  };
  for (const char c : text) {
    if (c == '\0') return std::nullopt;
    if (state == kQuoted) {
      if (c == '"') {
        state = kAfterQuote;
      } else {
        field += c;
      }
    } else if (state == kReturn) {
      if (c != '\n') return std::nullopt;
      end_row();
    } else if (c == delimiter) {
      end_field();
    } else if (c == '\n') {
      end_row();
    } else if (c == '\r') {
      state = kReturn;
    } else if (c == '"') {
      if (state == kPlain) return std::nullopt;
      if (state == kAfterQuote) field += c;
      was_quoted = true;
      state = kQuoted;
    } else {
      if (state == kAfterQuote) return std::nullopt;
      field += c;
      state = kPlain;
    }
  }
  if (state == kQuoted || state == kReturn) return std::nullopt;
  if (!row.empty() || !field.empty() || was_quoted) end_row();
  return rows;
}

}  // namespace penstock::testing
