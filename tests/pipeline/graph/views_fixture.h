// Small datasets, and the record ids that views over them give.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {

class ViewsTest : public ::testing::Test {
 protected:
  // `records` records of `length` tokens each.
  std::string Write(uint64_t records, uint32_t length = 4,
                    DatasetFiles files = {}) {
    folders_.push_back(std::make_unique<ScratchFolder>());
    return WriteDataset(*folders_.back(),
                        std::vector<uint32_t>(records, length), files);
  }
  static Dataset Read(const std::string& pattern) {
    return Dataset::TfRecords(pattern);
  }
  static Dataset Batched(const Dataset& dataset, int64_t rows = 4) {
    return dataset.Bucket({.by = "tokens", .lengths = {8, 40}})
        .Batch({.size = rows});
  }
  // The record ids of a run in order, without those of rows that pad.
  static std::vector<uint64_t> Ids(const Dataset& dataset,
                                   RunOptions options = {}) {
    const auto batches = RunAll(dataset, std::move(options));
    EXPECT_OK(batches);
    std::vector<uint64_t> ids;
    for (const GlobalBatch& batch : *batches) {
      for (const uint64_t id : batch.record_ids) {
        if (id != kNoRecord) ids.push_back(id);
      }
    }
    return ids;
  }
  static std::string Explained(const Dataset& dataset) {
    const auto pipeline = Compile(dataset, {});
    EXPECT_OK(pipeline);
    return pipeline.ok() ? pipeline->Explain() : "";
  }
  static void ExpectRefused(const Dataset& dataset, StatusCode code,
                            const std::string& words) {
    EXPECT_THAT(Compile(dataset, {}),
                StatusIs(code, ::testing::HasSubstr(words)));
  }
  static Status Restored(const Dataset& before, const Dataset& after) {
    auto first = Compile(before, {});
    EXPECT_OK(first);
    auto batch = first->Next();
    EXPECT_OK(batch);
    auto second = Compile(after, {});
    EXPECT_OK(second);
    return second->Restore((*batch)->state_after);
  }

  std::vector<std::unique_ptr<ScratchFolder>> folders_;
};

}  // namespace penstock::testing
