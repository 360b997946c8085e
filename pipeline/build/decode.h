// Records -> columns of values: parse, tokenize, cut.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/examples.h"
#include "formats/files/status_or.h"
#include "pipeline/build/rows.h"
#include "pipeline/graph/stages.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Memory that one decoding leaves for the next.
struct DecodeScratch {
  Examples parsed;
  std::vector<TokenId> tokens;
};

// Rows and, for each, how many values its record has of the feature that
// arranges, which may be more than are kept.
struct DecodedRows {
  Examples examples;
  std::vector<uint32_t> lengths;

  void Clear() {
    examples.Clear();
    lengths.clear();
  }
};

// Threads: any number at a time.
class Decoder {
 public:
  static StatusOr<Decoder> Create(const Stages& stages);

  // Appends one row for each record to `out`; its columns are those of
  // Stages::batched. ids[i] is the record id of records[i]. Of a varying
  // feature one value more is kept than the longest length holds, so that
  // whoever places the row knows that there were more.
  // Errors:  those of ExampleParser and Tokenizer, naming the record.
  Status Decode(std::span<const std::string_view> records,
                std::span<const uint64_t> ids, const Locate& locate,
                DecodeScratch& scratch, DecodedRows& out) const;

  // Bytes that decoding `raw_bytes` of records takes, at most, what comes out
  // included.
  uint64_t WorkBytes(uint64_t raw_bytes, uint64_t rows) const;
  // Bytes of one row that comes out, at most, where the feature that arranges
  // has up to `length` values.
  uint64_t RowBytes(int64_t length) const {
    return row_bytes_ + static_cast<uint64_t>(length + 1) * by_value_bytes_;
  }

 private:
  Decoder() = default;

  Status Tokenize(std::span<const uint64_t> ids, const Locate& locate,
                  DecodeScratch& scratch, Examples& out) const;
  void Cut(size_t first_row, Examples& out) const;

  std::optional<ExampleParser> parser_;  // without it records are text
  std::optional<TokenizeStage> tokenize_;
  size_t tokenized_ = 0;  // the column of the tokens
  std::optional<size_t> by_;
  std::vector<uint64_t> most_values_;  // [columns]
  std::vector<bool> cuts_left_;        // [columns]
  uint64_t row_bytes_ = 0;       // without the values of the feature `by_`
  uint64_t by_value_bytes_ = 0;  // of one of those
};

// Appends row `row` of `from` to `to`, which has the same columns or none.
void AppendRow(const Examples& from, size_t row, Examples& to);

}  // namespace penstock
