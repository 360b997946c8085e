// Records -> columns of values: parse, tokenize.
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

namespace penstock {

// Threads: any number at a time.
class Decoder {
 public:
  static StatusOr<Decoder> Create(const Stages& stages);

  // Fills `out` with one row for each record; its columns are those of
  // Stages::batched. ids[i] is the record id of records[i].
  // Errors:  those of ExampleParser and Tokenizer, naming the record.
  Status Decode(std::span<const std::string_view> records,
                std::span<const uint64_t> ids, const Locate& locate,
                Examples& out) const;

  // How many values row `row` of the arranging feature has; 0 without one.
  uint32_t LengthOf(const Examples& examples, size_t row) const;

 private:
  Decoder() = default;

  Status Tokenize(std::span<const uint64_t> ids, const Locate& locate,
                  Column& column) const;

  std::optional<ExampleParser> parser_;  // without it records are text
  std::optional<TokenizeStage> tokenize_;
  size_t tokenized_ = 0;  // the column of the tokens
  std::optional<size_t> by_;
};

// The bytes that `examples` hold on to.
uint64_t SizeBytes(const Examples& examples);

// Appends row `row` of `from` to `to`, which has the same columns or none.
void AppendRow(const Examples& from, size_t row, Examples& to);

}  // namespace penstock
