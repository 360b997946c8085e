#include "pipeline/build/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/build/append_row.h"
#include "pipeline/graph/source_records.h"

namespace penstock {
namespace {

void AppendIds(std::span<const TokenId> ids, Column& to) {
  if (!to.narrow) {
    to.ints.insert(to.ints.end(), ids.begin(), ids.end());
    return;
  }
  const size_t before = to.narrow_ints.size();
  to.narrow_ints.resize(before + ids.size());
  std::ranges::copy(
      ids, to.narrow_ints.begin() + static_cast<std::ptrdiff_t>(before));
}

uint32_t LengthIn(const Column& column, size_t row) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(column.values_in(row), kLeftOut - 1));
}

}  // namespace

Status Decoder::Parse(std::span<const std::string_view> records,
                      std::span<const uint64_t> ids, uint64_t epoch,
                      const Locate& locate, Tokenized& tokenized,
                      Examples& out) const {
  if (!sides_.empty()) {
    return ParseSides(records, ids, epoch, locate, tokenized, out);
  }
  if (parser_) {
    return parser_->Parse(
        records, [&](size_t i) { return locate(ids[i]); }, out);
  }
  if (memory_.columns == nullptr) {
    if (memory_.tokens) {
      AppendTokenRows(records, *memory_.tokens, out);
    } else {
      AppendTexts(records, out);
    }
    return OkStatus();
  }
  // They were checked when the graph was compiled.
  if (out.rows == 0) out.columns = memory_form_;  // also another decoder's
  for (size_t c = 0; c < memory_columns_.size(); ++c) {
    for (const uint64_t id : ids) {
      memory_.columns->AppendTo(memory_columns_[c], id - memory_.first_id,
                                out.columns[c]);
    }
  }
  out.rows += ids.size();
  return OkStatus();
}

Status Decoder::ParseSides(std::span<const std::string_view> records,
                           std::span<const uint64_t> ids, uint64_t epoch,
                           const Locate& locate, Tokenized& tokenized,
                           Examples& out) const {
  std::vector<std::string_view> of_side(records.size());
  DecodeScratch scratch = {.tokenized = tokenized};
  DecodedRows rows;
  const bool first = out.rows == 0;
  if (first) out.columns.clear();  // maybe another decoder's
  size_t column = 0;
  for (size_t s = 0; s < sides_.size(); ++s) {
    for (size_t i = 0; i < records.size(); ++i) {
      of_side[i] = SideOfRecord(records[i], s, sides_.size());
    }
    rows.Clear();
    PENSTOCK_RETURN_IF_ERROR(
        sides_[s].Decode(of_side, ids, epoch, locate, scratch, rows));
    for (Column& from : rows.examples.columns) {
      if (first) {
        out.columns.push_back(std::move(from));
      } else {
        AppendColumn(from, out.columns[column++]);
      }
    }
    rows.examples.columns.clear();  // those of the next one are others
  }
  tokenized = scratch.tokenized;
  out.rows += ids.size();
  return OkStatus();
}

Status Decoder::Decode(std::span<const std::string_view> records,
                       std::span<const uint64_t> ids, uint64_t epoch,
                       const Locate& locate, DecodeScratch& scratch,
                       DecodedRows& out) const {
  const size_t first_row = out.examples.rows;
  if (ops_.size() > 0) {
    PENSTOCK_RETURN_IF_ERROR(
        DecodeChunk(records, ids, epoch, locate, scratch, out));
    Cut(first_row, out.examples);
    return OkStatus();
  }
  Examples& parsed = tokenize_ ? scratch.parsed : out.examples;
  if (tokenize_) parsed.Clear();
  PENSTOCK_RETURN_IF_ERROR(
      Parse(records, ids, epoch, locate, scratch.tokenized, parsed));
  if (tokenize_) {
    PENSTOCK_RETURN_IF_ERROR(
        Tokenize(ids, locate, parsed, scratch, out.examples));
  }
  AppendLengths(out.examples, first_row, out);
  out.rows_of.insert(out.rows_of.end(), ids.size(), 1);
  Cut(first_row, out.examples);
  return OkStatus();
}

// Of row `row` and all behind it.
void Decoder::AppendLengths(const Examples& rows, size_t row,
                            DecodedRows& out) const {
  if (!by_ || grid_) {
    for (; row < rows.rows; ++row) AppendLength(rows, row, out);
    return;
  }
  const Column& by = rows.columns[*by_];
  for (; row < rows.rows; ++row) out.lengths.push_back(LengthIn(by, row));
}

void Decoder::AppendLength(const Examples& rows, size_t row,
                           DecodedRows& out) const {
  if (!grid_) {
    out.lengths.push_back(by_ ? LengthIn(rows.columns[*by_], row) : 0);
    return;
  }
  std::array<uint32_t, LengthGrid::kMostFeatures> lengths;
  for (size_t f = 0; f < grid_columns_.size(); ++f) {
    lengths[f] = LengthIn(rows.columns[grid_columns_[f]], row);
  }
  out.lengths.push_back(
      grid_->MeasureOf(std::span(lengths).first(grid_columns_.size())));
}

Status Decoder::Tokenize(std::span<const uint64_t> ids, const Locate& locate,
                         const Examples& parsed, DecodeScratch& scratch,
                         Examples& out) const {
  const auto begin = std::chrono::steady_clock::now();
  out.columns.resize(parsed.columns.size());
  size_t text_column = 0;
  for (size_t c = 0; c < parsed.columns.size(); ++c) {
    if (parsed.columns[c].name == tokenize_->options.from) {
      text_column = c;
    } else {
      AppendColumn(parsed.columns[c], out.columns[c]);
    }
  }
  const Column& texts = parsed.columns[text_column];
  Column& tokens = out.columns[text_column];
  tokens.name = tokenize_->options.to;
  tokens.type = FeatureType::kInt64;
  if (tokens.values() == 0) tokens.narrow = narrow_tokens_;
  std::vector<TokenId>& encoded = scratch.tokens;
  for (size_t row = 0; row < ids.size(); ++row) {
    // An optional feature that a row lacks is an empty text.
    const std::string_view text = texts.values_in(row) == 0
                                      ? std::string_view()
                                      : texts.bytes_at(texts.row_offsets[row]);
    scratch.tokenized.bytes += text.size();
    encoded.clear();
    const Status status =
        tokenize_->tokenizer->Encode(text, tokenize_->options.encode, encoded);
    if (!status.ok()) return Annotate(status, locate(ids[row]));
    AppendIds(encoded, tokens);
    tokens.EndRow();
  }
  out.rows += ids.size();
  scratch.tokenized.rows += ids.size();
  scratch.tokenized.ns +=
      std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin)
          .count();
  return OkStatus();
}

void Decoder::Cut(size_t first_row, Examples& out) const {
  for (size_t c = 0; c < out.columns.size(); ++c) {
    Column& column = out.columns[c];
    const uint64_t most = most_values_[c];
    if (column.type == FeatureType::kBytes) continue;  // of one value each
    bool cut = false;
    for (size_t row = first_row; row < out.rows && !cut; ++row) {
      cut = column.values_in(row) > most;
    }
    if (cut) KeepEnds(first_row, most, cuts_left_[c], column);
  }
}

uint64_t Decoder::WorkBytes(uint64_t raw_bytes, uint64_t records) const {
  const uint64_t rows = records * most_rows_;
  // A byte of a record may be a number of 8 bytes. Columns grow by doubling,
  // and while they do, the old one is still there.
  uint64_t for_each_byte = 3 * 8;
  // The text itself, its ids of 4 bytes, and these as numbers.
  if (tokenize_) for_each_byte += 3 * (1 + 4);
  // Functions work on a copy, and may make another.
  if (ops_.size() > 0) for_each_byte += 2 * 8;
  uint64_t bytes = 0;
  for (const Decoder& side : sides_) {
    // Any of them may have all the bytes.
    bytes = std::max(bytes, side.WorkBytes(raw_bytes, 0));
  }
  for (const Decoder& side : sides_) bytes += side.WorkBytes(0, records);
  if (!sides_.empty()) ++for_each_byte;  // they are copied together
  return bytes + raw_bytes * for_each_byte +
         rows * 3 * 8 * (most_values_.size() + 2);
}

}  // namespace penstock
