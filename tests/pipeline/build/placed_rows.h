// Batches that are placed by hand: pieces of made records, without any file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/batch.h"
#include "pipeline/build/place.h"
#include "pipeline/contract.h"
#include "pipeline/dataset.h"

namespace penstock::testing {

// A graph and the decoded records that its batches are made of.
class PlacedRows {
 public:
  // The records of the feature that arranges, in order; other columns follow
  // with the same number of rows.
  PlacedRows(const Dataset& dataset, std::vector<std::vector<int64_t>> records);

  // Adds a column of integers.
  void AddColumn(std::vector<std::vector<int64_t>> rows);
  void AddFloats(std::vector<std::vector<float>> rows);
  void AddBytes(std::vector<std::string> rows);

  // A row of the batch from pieces {record, begin, length, place}.
  void AddRow(std::vector<Piece> pieces);
  // One whole record.
  void AddRecord(uint64_t record);
  void AddRecords(uint64_t count);

  // Places all rows into a batch of the graph's last shape. Where decoders may
  // keep integers as int32, expects the same of such.
  Status Place(uint64_t epoch = 0, uint64_t dataset = 1);
  // Expects it to work.
  PlacedRows& Placed(uint64_t epoch = 0, uint64_t dataset = 1);

  const Contract& contract() const { return contract_; }
  const Tensor& Find(const std::string& name) const;
  // Row `row` of a tensor.
  template <typename T>
  std::vector<T> Row(const std::string& name, size_t row = 0) const {
    const Tensor& tensor = Find(name);
    const auto values = tensor.values<T>();
    const size_t width = values.size() / rows_.size();
    return {values.begin() + static_cast<std::ptrdiff_t>(row * width),
            values.begin() + static_cast<std::ptrdiff_t>((row + 1) * width)};
  }

  uint64_t cut_rows = 0;

 private:
  Status PlaceFrom(const Examples& examples, uint64_t epoch, uint64_t dataset);
  Examples NarrowExamples() const;

  Stages stages_;
  Contract contract_;
  Examples examples_;
  std::vector<std::vector<Piece>> rows_;
  Batch batch_;
};

}  // namespace penstock::testing
