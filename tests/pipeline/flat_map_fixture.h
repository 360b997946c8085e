// Records that become windows of their tokens, and what a plain loop makes of
// them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/pipeline.h"
#include "pipeline/row_function.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {

inline constexpr uint64_t kFlatWindow = 5;

// Each row's tokens five by five; a row without tokens becomes none.
inline Status MakeWindows(const RowChunk& chunk, Examples& made,
                          std::vector<uint32_t>& rows_of) {
  const auto tokens =
      std::ranges::find(chunk.rows.columns, "tokens", &Column::name) -
      chunk.rows.columns.begin();
  for (size_t row = 0; row < chunk.rows.rows; ++row) {
    const auto all = chunk.rows.columns[tokens].ints_of(row);
    for (size_t begin = 0; begin < all.size(); begin += kFlatWindow) {
      const auto some =
          all.subspan(begin, std::min<size_t>(kFlatWindow, all.size() - begin));
      for (size_t c = 0; c < made.columns.size(); ++c) {
        Column& to = made.columns[c];
        if (static_cast<std::ptrdiff_t>(c) == tokens) {
          to.ints.insert(to.ints.end(), some.begin(), some.end());
          to.EndRow();
        } else {
          CopyRow(chunk.rows.columns[c], row, to);
        }
      }
      ++rows_of[row];
    }
  }
  return OkStatus();
}

inline Dataset Windows(const Dataset& dataset,
                       FlatMapOptions options = {.name = "windows",
                                                 .most_rows = 6}) {
  return dataset.FlatMap(std::move(options), MakeWindows);
}

class FlatMapTest : public ::testing::Test {
 protected:
  FlatMapTest() {
    for (size_t id = 0; id < lengths_.size(); id += 7) lengths_[id] = 0;
  }

  Dataset Read(DatasetFiles files = {}) {
    folders_.push_back(std::make_unique<ScratchFolder>());
    return Dataset::TfRecords(WriteDataset(*folders_.back(), lengths_, files))
        .Parse({kId, {.name = "tokens"}});
  }
  static Dataset Bucketed(const Dataset& dataset) {
    return dataset.Bucket({.by = "tokens", .lengths = {2, 4, 5}})
        .Batch({.size = 6});
  }

  // What a plain loop makes of records in this order.
  std::vector<std::pair<uint64_t, std::vector<int32_t>>> Expected(
      const std::vector<uint64_t>& records) const {
    std::vector<std::pair<uint64_t, std::vector<int32_t>>> rows;
    for (const uint64_t id : records) {
      for (uint64_t begin = 0; begin < lengths_[id]; begin += kFlatWindow) {
        auto& [record, tokens] = rows.emplace_back();
        record = id;
        for (uint64_t j = begin;
             j < std::min<uint64_t>(begin + kFlatWindow, lengths_[id]); ++j) {
          tokens.push_back(static_cast<int32_t>(TokenOf(id, j)));
        }
      }
    }
    return rows;
  }

  // The rows of batches of Pad, in their order.
  static std::vector<std::pair<uint64_t, std::vector<int32_t>>> RowsOf(
      const std::vector<GlobalBatch>& batches) {
    std::vector<std::pair<uint64_t, std::vector<int32_t>>> rows;
    for (const GlobalBatch& batch : batches) {
      const auto tokens = ValuesOf<int32_t>(batch.tensors[1]);
      const auto counts = ValuesOf<int32_t>(batch.tensors[2]);
      const size_t width = tokens.size() / batch.record_ids.size();
      for (size_t row = 0; row < batch.record_ids.size(); ++row) {
        if (batch.record_ids[row] == kNoRecord) continue;
        const auto begin =
            tokens.begin() + static_cast<std::ptrdiff_t>(row * width);
        rows.push_back({batch.record_ids[row], {begin, begin + counts[row]}});
      }
    }
    return rows;
  }

  // Any hosts and threads make these batches, and go on after any of them.
  static void ExpectOneStream(const Dataset& dataset,
                              const std::vector<GlobalBatch>& whole,
                              uint32_t shards = 6) {
    for (const uint32_t hosts : {2u, 3u}) {
      ASSERT_OK_AND_ASSIGN(
          const auto found,
          RunAll(dataset, {.shards = shards,
                           .hosts = hosts,
                           .threads = static_cast<int>(hosts) - 1}));
      ASSERT_EQ(found, whole) << hosts;
    }
    for (size_t step = 0; step < whole.size(); step += kCaseStride) {
      RunOptions options = {.shards = shards,
                            .hosts = static_cast<uint32_t>(1 + step % 3)};
      ASSERT_OK_AND_ASSIGN(options.restore,
                           ParseState(FormatState(whole[step].state_after)));
      ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(dataset, options));
      const std::vector<GlobalBatch> after(
          whole.begin() + static_cast<std::ptrdiff_t>(step) + 1, whole.end());
      ASSERT_EQ(rest, after) << "after step " << step;
    }
  }
  static void ExpectOneStream(const Dataset& dataset) {
    ASSERT_OK_AND_ASSIGN(const auto whole, RunAll(dataset));
    ASSERT_FALSE(whole.empty());
    ExpectOneStream(dataset, whole);
  }

  std::vector<uint32_t> lengths_ = RandomLengths(60, 28, 6);
  std::vector<std::unique_ptr<ScratchFolder>> folders_;
};

}  // namespace penstock::testing
