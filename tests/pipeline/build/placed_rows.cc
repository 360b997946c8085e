#include "tests/pipeline/build/placed_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <variant>

#include "pipeline/build/batch_layout.h"
#include "pipeline/graph/stages.h"
#include "pipeline/graph/tensors.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {

PlacedRows::PlacedRows(const Dataset& dataset,
                       std::vector<std::vector<int64_t>> records) {
  auto stages = FlattenStages(dataset);
  EXPECT_OK(stages);
  if (!stages.ok()) return;
  stages_ = *std::move(stages);
  contract_ = stages_.MakeContract();
  examples_.rows = records.size();
  AddColumn(std::move(records));
}

void PlacedRows::AddColumn(std::vector<std::vector<int64_t>> rows) {
  Column& column = examples_.columns.emplace_back();
  column.type = FeatureType::kInt64;
  for (const auto& row : rows) {
    column.ints.insert(column.ints.end(), row.begin(), row.end());
    column.EndRow();
  }
}

void PlacedRows::AddFloats(std::vector<std::vector<float>> rows) {
  Column& column = examples_.columns.emplace_back();
  column.type = FeatureType::kFloat;
  for (const auto& row : rows) {
    column.floats.insert(column.floats.end(), row.begin(), row.end());
    column.EndRow();
  }
}

void PlacedRows::AddBytes(std::vector<std::string> rows) {
  Column& column = examples_.columns.emplace_back();
  column.type = FeatureType::kBytes;
  for (const std::string& row : rows) {
    column.bytes += row;
    column.byte_offsets.push_back(column.bytes.size());
    column.EndRow();
  }
}

void PlacedRows::AddRow(std::vector<Piece> pieces) {
  rows_.push_back(std::move(pieces));
}

void PlacedRows::AddRecord(uint64_t record) {
  const auto length =
      static_cast<uint32_t>(examples_.columns[0].values_in(record));
  AddRow({{.record = record, .length = length}});
}

void PlacedRows::AddRecords(uint64_t count) {
  for (uint64_t record = 0; record < count; ++record) AddRecord(record);
}

Status PlacedRows::Place(uint64_t epoch, uint64_t dataset) {
  Status narrow;
  const Examples examples = NarrowExamples();
  const bool may_be_narrow =
      !stages_.objective ||
      !std::holds_alternative<SpanCorruption>(*stages_.objective);
  if (may_be_narrow) narrow = PlaceFrom(examples, epoch, dataset);
  const Batch made = std::move(batch_);
  Status status = PlaceFrom(examples_, epoch, dataset);
  if (!may_be_narrow) return status;
  EXPECT_EQ(narrow.code(), status.code());
  EXPECT_EQ(narrow.message(), status.message());
  for (size_t t = 0; t < made.tensors.size(); ++t) {
    EXPECT_TRUE(
        std::ranges::equal(made.tensors[t].bytes, batch_.tensors[t].bytes))
        << contract_.tensors[t].name;
  }
  return status;
}

// As a parser keeps them: columns of int32 where all values fit.
Examples PlacedRows::NarrowExamples() const {
  Examples examples = examples_;
  for (size_t c = 0; c < examples.columns.size(); ++c) {
    Column& column = examples.columns[c];
    if (column.type != FeatureType::kInt64 ||
        TypeInBatch(stages_.batched[c]) != ElementType::kInt32 ||
        std::ranges::any_of(column.ints, [](int64_t value) {
          return value != static_cast<int32_t>(value);
        })) {
      continue;
    }
    column.narrow = true;
    column.narrow_ints.assign(column.ints.begin(), column.ints.end());
    column.ints.clear();
  }
  return examples;
}

Status PlacedRows::PlaceFrom(const Examples& examples, uint64_t epoch,
                             uint64_t dataset) {
  const Placer placer(stages_, contract_, dataset);
  BufferPool pool(0);
  batch_ = {.epoch = epoch, .shape = contract_.shapes() - 1};
  EXPECT_OK(
      GiveMemory(contract_, static_cast<int64_t>(rows_.size()), pool, batch_));
  // What is not written shows.
  for (Tensor& tensor : batch_.tensors) {
    std::memset(tensor.bytes.data(), 0xa5, tensor.bytes.size());
  }
  const Locate locate = [](uint64_t id) {
    return "record " + std::to_string(id);
  };
  cut_rows = 0;
  RowBlock block;
  block.Begin(0);
  for (const std::vector<Piece>& row : rows_) {
    for (const Piece& piece : row) {
      block.Add(piece, {&examples, piece.record});
    }
    block.EndRow();
  }
  return placer.Place(block.rows(), locate, batch_, cut_rows);
}

PlacedRows& PlacedRows::Placed(uint64_t epoch, uint64_t dataset) {
  EXPECT_OK(Place(epoch, dataset));
  return *this;
}

const Tensor& PlacedRows::Find(const std::string& name) const {
  for (size_t t = 0; t < contract_.tensors.size(); ++t) {
    if (contract_.tensors[t].name == name) return batch_.tensors[t];
  }
  ADD_FAILURE() << "no tensor " << name;
  return batch_.tensors[0];
}

}  // namespace penstock::testing
