// Records -> columns of values: parse, tokenize, cut.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/example/example_parser.h"
#include "formats/example/examples.h"
#include "formats/files/status_or.h"
#include "formats/tokens/megatron_tokens.h"
#include "pipeline/build/row_ops.h"
#include "pipeline/build/rows.h"
#include "pipeline/graph/stages.h"
#include "pipeline/tables/column_table.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// What tokenizers took of decoding.
struct Tokenized {
  int64_t ns = 0;
  uint64_t rows = 0;
  uint64_t bytes = 0;  // of text
};

// Memory that one decoding leaves for the next, and what it says of itself.
struct DecodeScratch {
  Examples parsed;
  std::vector<TokenId> tokens;
  Tokenized tokenized;  // adds up
};

// Rows and, for each, how many values its record has of the feature that
// arranges, which may be more than are kept; its measure where several do.
struct DecodedRows {
  Examples examples;
  std::vector<uint32_t> lengths;  // [rows]
  std::vector<uint32_t> rows_of;  // [records]: one each without FlatMap

  void Clear() {
    examples.Clear();
    lengths.clear();
    rows_of.clear();
  }
};

// Records that are rows in memory.
struct InMemory {
  std::shared_ptr<const ColumnTable> columns;  // null: they are bytes
  uint64_t first_id = 0;
  std::optional<TokenType> tokens = {};  // then, of which they are made
};

// Threads: any number at a time.
class Decoder {
 public:
  // Of the records of one of the sources. `dataset` is the data's fingerprint,
  // on which the keys of rows depend. columns[s] is of side `s` of a zip, [0]
  // of any other.
  static StatusOr<Decoder> Create(const Stages& stages,
                                  const SourceStages& source, uint64_t dataset,
                                  std::vector<InMemory> columns);

  // Appends the rows of each record to `out`, one or, of FlatMap, some; its
  // columns are those of Stages::batched. ids[i] is the record id of
  // records[i], all of them of `epoch`. A row that is left out has no values
  // and the length kLeftOut. Of a varying feature one value more is kept than
  // the longest length holds, so that whoever places the row knows that there
  // were more.
  // Errors:  those of ExampleParser and Tokenizer, naming the record; those of
  //          functions over rows, naming these.
  Status Decode(std::span<const std::string_view> records,
                std::span<const uint64_t> ids, uint64_t epoch,
                const Locate& locate, DecodeScratch& scratch,
                DecodedRows& out) const;

  // Whether bytes features of records are those of rows, and nothing looks at
  // them on the way.
  bool KeepsBytes() const {
    return parser_.has_value() && sides_.empty() && ops_.size() == 0;
  }

  // Bytes that decoding `raw_bytes` of `records` takes, at most, what comes out
  // included; of FlatMap as far as it makes no more values than there were.
  uint64_t WorkBytes(uint64_t raw_bytes, uint64_t records) const;
  // Bytes of one row that comes out, at most, where the feature that arranges
  // has up to `length` values.
  uint64_t RowBytes(int64_t length) const {
    return row_bytes_ + static_cast<uint64_t>(length + 1) * by_value_bytes_;
  }

 private:
  Decoder(const SourceStages& source, uint64_t dataset)
      : ops_(source.row_ops, dataset) {}

  // Of one side, or of all but the sides; what comes out is `batched`.
  static StatusOr<Decoder> Make(const Stages& stages,
                                const SourceStages& source,
                                const std::vector<Feature>& batched,
                                uint64_t dataset, InMemory columns);
  void SetGrid(const Stages& stages);
  Status Parse(std::span<const std::string_view> records,
               std::span<const uint64_t> ids, uint64_t epoch,
               const Locate& locate, Tokenized& tokenized, Examples& out) const;
  Status ParseSides(std::span<const std::string_view> records,
                    std::span<const uint64_t> ids, uint64_t epoch,
                    const Locate& locate, Tokenized& tokenized,
                    Examples& out) const;
  Status Tokenize(std::span<const uint64_t> ids, const Locate& locate,
                  const Examples& parsed, DecodeScratch& scratch,
                  Examples& out) const;
  // Decode() where there are operations on rows.
  Status DecodeChunk(std::span<const std::string_view> records,
                     std::span<const uint64_t> ids, uint64_t epoch,
                     const Locate& locate, DecodeScratch& scratch,
                     DecodedRows& out) const;
  Status CheckChunk(const ChunkOfRows& chunk, const Locate& locate) const;
  void AppendChunk(const ChunkOfRows& chunk, DecodedRows& out) const;
  void AppendLength(const Examples& rows, size_t row, DecodedRows& out) const;
  void AppendLengths(const Examples& rows, size_t row, DecodedRows& out) const;
  void Cut(size_t first_row, Examples& out) const;

  std::vector<Decoder> sides_;  // of a zip, which has no records of its own
  InMemory memory_;
  std::vector<size_t> memory_columns_;   // of the features, in order
  std::vector<Column> memory_form_;      // without rows
  std::optional<ExampleParser> parser_;  // without either records are text
  std::optional<TokenizeStage> tokenize_;
  RowOps ops_;
  size_t ops_before_tokenize_ = 0;
  bool narrow_tokens_ = false;
  uint64_t most_rows_ = 1;  // of a record
  Examples columns_;        // of a row that comes out, without rows
  std::optional<size_t> by_;
  // Where several features have buckets, and their columns; not of a side.
  std::optional<LengthGrid> grid_;
  std::vector<size_t> grid_columns_;
  std::vector<uint64_t> most_values_;  // [columns]
  std::vector<bool> fixed_;            // [columns]: always as many values
  std::vector<bool> optional_;         // [columns]: or none
  std::vector<bool> cuts_left_;        // [columns]
  uint64_t row_bytes_ = 0;       // without the values of the feature `by_`
  uint64_t by_value_bytes_ = 0;  // of one of those
};

}  // namespace penstock
