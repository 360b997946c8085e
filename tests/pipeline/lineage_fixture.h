// Runs that go on behind a change, and what came of them.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pipeline/pipeline.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/graph/views_fixture.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {

using Batches = std::vector<GlobalBatch>;
using RecordIds = std::vector<uint64_t>;

class LineageTest : public ViewsTest {
 protected:
  // `dataset` behind `state`, on some hosts, whose graph may differ in these.
  static StatusOr<Batches> GoOn(const Dataset& dataset, const State& state,
                                std::vector<Change> changed, size_t hosts = 1) {
    RunOptions options = {.shards = hosts == 3 ? 3u : 12u,
                          .hosts = static_cast<uint32_t>(hosts)};
    options.restore = state;
    options.change = [changed](uint32_t, HostRun& run) {
      run.compile.changed = changed;
    };
    return RunAll(dataset, options);
  }
  static Batches Run(const Dataset& dataset) {
    auto batches = RunAll(dataset);
    EXPECT_OK(batches);
    return batches.ok() ? *batches : Batches();
  }
  // The records of all rows, in the order of the batches.
  static RecordIds RecordsOf(std::span<const GlobalBatch> batches) {
    RecordIds ids;
    for (const GlobalBatch& batch : batches) {
      for (const RecordIds& row : batch.row_records) {
        ids.insert(ids.end(), row.begin(), row.end());
      }
    }
    return ids;
  }
  // From every state of `run` on, other hosts give the rest of it.
  static void ExpectResumes(const Dataset& dataset, const Batches& run) {
    for (size_t done = 1; done <= run.size(); done += kCaseStride) {
      const size_t hosts = 1 + done % 4;
      ASSERT_OK_AND_ASSIGN(const State state,
                           ParseState(FormatState(run[done - 1].state_after)));
      ASSERT_EQ(state, run[done - 1].state_after);
      ASSERT_OK_AND_ASSIGN(const Batches rest, GoOn(dataset, state, {}, hosts));
      ASSERT_EQ(rest, Batches(run.begin() + static_cast<std::ptrdiff_t>(done),
                              run.end()))
          << "after " << done << " steps on " << hosts << " hosts";
    }
  }
  static Status Refused(const Dataset& before, const Dataset& after,
                        std::vector<Change> changed) {
    return GoOn(after, Run(before).front().state_after, std::move(changed))
        .status();
  }
};

// One length, so that rows stay in the order of the epoch.
inline Dataset InOrder(const Dataset& dataset, int64_t rows,
                       int64_t length = 40) {
  return dataset.Bucket({.by = "tokens", .lengths = {length}})
      .Batch({.size = rows});
}

// Those of [begin, end), counted from begin.
inline RecordIds Of(const RecordIds& ids, uint64_t begin, uint64_t end) {
  RecordIds some;
  for (const uint64_t id : ids) {
    if (id >= begin && id < end) some.push_back(id - begin);
  }
  return some;
}

}  // namespace penstock::testing
