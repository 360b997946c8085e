// The laws, on graphs drawn at random. tests/pipeline/graph_numbers.h says
// which are run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tests/pipeline/graph_numbers.h"
#include "tests/pipeline/random_graph.h"
#include "tests/support/effort.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

constexpr GraphCounts kGraphs = {
    .release = 2000, .debug = 200, .asan = 200, .tsan = 50};
// Where a graph is run in two ways.
constexpr GraphCounts kRunTwice = {
    .release = 2000, .debug = 200, .asan = 70, .tsan = 30};

class RandomGraphTest : public ::testing::Test {
 protected:
  template <typename Check>
  void ForEach(const GraphCounts& counts, Check check) {
    const auto [first, end, one] = NumbersOf(counts);
    for (uint64_t seed = first; seed < end && !HasFailure(); ++seed) {
      RandomGraph graph(seed, pool_);
      const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
      check(graph);
    }
  }

  static StatusOr<std::vector<GlobalBatch>> RunOnOne(RandomGraph& graph) {
    RunOptions options = graph.Run();
    options.shards = options.hosts = 1;
    options.threads = 1;
    return RunAll(graph.Make(), options);
  }

  DataPool pool_;
};

// Laws 2, 4, 6 and 9 of one run, against the data as it was made.
void CheckContents(const RandomGraph& graph,
                   const std::vector<GlobalBatch>& batches) {
  const bool varies = graph.arrange != RandomGraph::kFixed;
  // Objectives that leave the tokens alone, or take them away.
  const bool spans = varies && graph.learn == RandomGraph::kSpans;
  const bool same = !spans && graph.learn != RandomGraph::kFill &&
                    graph.learn != RandomGraph::kMasked;
  const int64_t longest = graph.lengths.back();
  std::map<uint64_t, std::vector<uint64_t>> seen;  // by epoch
  // Of FlatMap, by epoch: a record and which of its rows.
  std::map<uint64_t, std::vector<std::pair<uint64_t, int64_t>>> made;
  uint64_t pads = 0;
  for (size_t step = 0; step < batches.size(); ++step) {
    const GlobalBatch& batch = batches[step];
    ASSERT_EQ(batch.step, step);
    ASSERT_EQ(batch.record_ids.size(), graph.RowsOf(batch.shape));
    const auto ids = ValuesOf<int64_t>(batch.tensors[0]);
    const auto mask = ValuesOf<float>(batch.tensors.back());
    const int64_t length = varies ? graph.LengthOf(batch.shape) : 0;
    const auto tokens =
        varies ? ValuesOf<int32_t>(batch.tensors[1]) : std::vector<int32_t>();
    const auto counts = varies ? ValuesOf<int32_t>(batch.tensors[spans ? 1 : 2])
                               : std::vector<int32_t>();
    for (size_t row = 0; row < batch.record_ids.size(); ++row) {
      const uint64_t id = batch.record_ids[row];
      const bool pad = id == kNoRecord;
      ASSERT_EQ(mask[row], pad ? 0 : 1);
      const auto [data, number] =
          pad ? std::pair(graph.data, uint64_t{0}) : graph.Find(id);
      ASSERT_EQ(ids[row] % RandomGraph::kRowStep, static_cast<int64_t>(number));
      if (!pad && graph.rows == RandomGraph::kFlatMapped) {
        ASSERT_LT(ids[row] / RandomGraph::kRowStep,
                  RandomGraph::RowsMade(ids[row] % RandomGraph::kRowStep));
        made[batch.epoch].push_back({id, ids[row] / RandomGraph::kRowStep});
      } else {
        ASSERT_EQ(ids[row], static_cast<int64_t>(number));
      }
      if (pad) {
        ++pads;
      } else {
        seen[batch.epoch].push_back(id);
      }
      if (!varies) continue;
      const int64_t real =
          pad ? 0 : std::min<int64_t>(data->lengths[number], longest);
      ASSERT_EQ(counts[row], real);
      ASSERT_LE(real, length);
      for (int64_t j = 0; j < length && !spans; ++j) {
        const int32_t found = tokens[row * length + j];
        if (j >= real) {
          ASSERT_EQ(found, -1);
        } else if (!same) {
          continue;
        } else if (!graph.tokenize) {
          ASSERT_EQ(found, TokenOf(number, j));
        } else {
          ASSERT_EQ(found, tokens[row * length]);
        }
      }
    }
  }
  uint64_t rows = 0;
  for (auto& [epoch, ids] : seen) {
    std::ranges::sort(ids);
    std::ranges::sort(made[epoch]);
    if (graph.once() && graph.rows == RandomGraph::kFlatMapped) {
      ASSERT_EQ(std::ranges::adjacent_find(made[epoch]), made[epoch].end());
    } else if (graph.once()) {
      ASSERT_EQ(std::ranges::adjacent_find(ids), ids.end())
          << "epoch " << epoch;
    }
    rows += ids.size();
  }
  if (batches.empty()) return;
  const PipelineCounts& counts = batches.back().state_after.counts;
  EXPECT_EQ(counts.rows, rows);
  EXPECT_EQ(counts.records, rows);
  EXPECT_EQ(counts.pad_rows, pads);
  const bool nothing_left = graph.leftover == Leftover::kPad &&
                            graph.rows != RandomGraph::kFlatMapped;
  if (nothing_left && graph.rows_of_epoch()) {
    // The last state knows nothing of rows that were dropped behind its step.
    EXPECT_LE(rows + counts.dropped, graph.epochs * *graph.rows_of_epoch());
  }
}

// The same where a row has several records, or parts of them: every value of a
// record that is not dropped is in one place.
void CheckPacked(const RandomGraph& graph,
                 const std::vector<GlobalBatch>& batches) {
  // Parts of a record that comes twice, or is several rows, cannot be told
  // apart.
  if (!graph.once() || graph.rows == RandomGraph::kFlatMapped) return;
  const auto length_of = [&](uint64_t id) {
    const auto [data, number] = graph.Find(id);
    return uint64_t{data->lengths[number]};
  };
  const auto length = static_cast<uint64_t>(graph.pack.length);
  const bool chunk = graph.pack.kind == PackKind::kChunk;
  const bool same =
      graph.learn != RandomGraph::kFill && graph.learn != RandomGraph::kMasked;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> next;  // of epoch, record
  for (const GlobalBatch& batch : batches) {
    const auto tokens = ValuesOf<int32_t>(batch.tensors[0]);
    const auto counts = ValuesOf<int32_t>(batch.tensors[1]);
    const auto mask = ValuesOf<float>(batch.tensors.back());
    ASSERT_EQ(batch.row_records.size(), static_cast<size_t>(graph.batch));
    for (size_t row = 0; row < batch.row_records.size(); ++row) {
      const int32_t* const values = tokens.data() + row * length;
      uint64_t place = 0;
      for (const uint64_t id : batch.row_records[row]) {
        const auto [at, is_new] = next.try_emplace({batch.epoch, id}, 0);
        const uint64_t all =
            chunk ? length_of(id) : std::min(length_of(id), length);
        ASSERT_TRUE(is_new || at->second < all) << id;
        const uint64_t count = std::min(all - at->second, length - place);
        ASSERT_TRUE(chunk || count == all);
        for (uint64_t j = 0; j < count && same; ++j) {
          ASSERT_EQ(values[place + j],
                    graph.tokenize
                        ? values[place]
                        : TokenOf(graph.Find(id).second, at->second + j));
        }
        at->second += count;
        place += count;
      }
      ASSERT_EQ(counts[row], static_cast<int32_t>(place));
      ASSERT_EQ(mask[row], batch.row_records[row].empty() ? 0 : 1);
      for (; place < length; ++place) ASSERT_EQ(values[place], -1);
      if (graph.pack.max_segments > 0) {
        ASSERT_LE(batch.row_records[row].size(),
                  static_cast<size_t>(graph.pack.max_segments));
      }
    }
  }
  if (batches.empty()) return;
  const PipelineCounts& counts = batches.back().state_after.counts;
  uint64_t ended = 0;
  for (const auto& [record, end] : next) {
    const uint64_t all = length_of(record.second);
    if (end == (chunk ? all : std::min(all, length))) ++ended;
  }
  EXPECT_EQ(counts.records, ended);
  if (graph.leftover == Leftover::kPad) {
    EXPECT_EQ(next.size(), ended);
    if (const auto rows = graph.rows_of_epoch()) {
      EXPECT_EQ(ended + counts.dropped, graph.epochs * *rows);
    }
  }
}

TEST_F(RandomGraphTest, EveryRecordComesOnceAsItWasMade) {
  ForEach(kGraphs, [&](RandomGraph& graph) {
    ASSERT_OK_AND_ASSIGN(const auto batches, RunOnOne(graph));
    if (graph.arrange == RandomGraph::kPack) {
      CheckPacked(graph, batches);
    } else {
      CheckContents(graph, batches);
    }
  });
}

// Laws 1, 3 and 5.
TEST_F(RandomGraphTest, AnyHostsGiveTheSameBatchesAndGoOnFromAnyState) {
  ForEach(kGraphs, [&](RandomGraph& graph) {
    ASSERT_OK_AND_ASSIGN(const auto expected, RunOnOne(graph));
    ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(graph.Make(), graph.Run()));
    ASSERT_EQ(batches, expected);
    if (expected.empty()) return;
    const size_t done = 1 + graph.Draw(expected.size());
    RunOptions options = graph.Run();
    ASSERT_OK_AND_ASSIGN(
        options.restore,
        ParseState(FormatState(expected[done - 1].state_after)));
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(graph.Make(), options));
    const std::vector<GlobalBatch> after(
        expected.begin() + static_cast<std::ptrdiff_t>(done), expected.end());
    ASSERT_EQ(rest, after) << "after " << done << " steps";
  });
}

// Planned where it can be, and streamed: the same batches, and either goes on
// where the other was.
TEST_F(RandomGraphTest, PlannedAndStreamedAreTheSameRun) {
  ForEach(kRunTwice, [&](RandomGraph& graph) {
    if (!graph.data->indexed) return;
    graph.waiting_bytes = uint64_t{1} << 40;
    RunOptions streamed = graph.Run();
    streamed.force_streamed = true;
    RunOptions chosen = graph.Run();
    chosen.force_streamed = false;
    ASSERT_OK_AND_ASSIGN(const auto one, RunAll(graph.Make(), streamed));
    ASSERT_OK_AND_ASSIGN(const auto two, RunAll(graph.Make(), chosen));
    ASSERT_EQ(one, two);
    if (one.empty()) return;
    const size_t done = 1 + graph.Draw(one.size());
    chosen.restore = one[done - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(graph.Make(), chosen));
    const std::vector<GlobalBatch> after(
        one.begin() + static_cast<std::ptrdiff_t>(done), one.end());
    ASSERT_EQ(rest, after);
  });
}

// Where each host has records of its own: planned and streamed are the same
// run, rows of a host are of its share, and any state goes on.
TEST_F(RandomGraphTest, SharesOfHostsAreOneRunThatGoesOnFromAnyState) {
  ForEach(kRunTwice, [&](RandomGraph& graph) {
    if (!graph.data->indexed) return;
    graph.merge = false;
    graph.balance = 0;
    graph.shared = true;
    graph.waiting_bytes = uint64_t{1} << 40;
    const ShardBy by = graph.Draw(2) == 0 ? ShardBy::kRecord : ShardBy::kRange;
    const auto hosts = static_cast<uint32_t>(1 + graph.Draw(4));
    const auto run = [&](bool streamed) {
      RunOptions options = graph.Run();
      options.hosts = options.shards = hosts;
      options.force_streamed = streamed;
      options.change = [&graph, by](uint32_t, HostRun& host) {
        host.compile.waiting_bytes = graph.waiting_bytes;
        host.compile.shard_by = by;
      };
      return options;
    };
    const auto one = RunAll(graph.Make(), run(false));
    if (!one.ok()) {
      // A share that has none of a source of a mix, or of anything.
      ASSERT_THAT(one, StatusIs(StatusCode::kInvalidArgument,
                                ::testing::HasSubstr("records")));
      return;
    }
    ASSERT_OK_AND_ASSIGN(const auto two, RunAll(graph.Make(), run(true)));
    ASSERT_EQ(*one, two);
    if (two.empty()) return;
    if (graph.arrange == RandomGraph::kPack) {
      CheckPacked(graph, two);
    } else if (graph.view == RandomGraph::kNoView) {
      CheckContents(graph, two);
    }
    RunOptions options = run(graph.Draw(2) == 0);
    const size_t done = 1 + graph.Draw(two.size());
    ASSERT_OK_AND_ASSIGN(options.restore,
                         ParseState(FormatState(two[done - 1].state_after)));
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(graph.Make(), options));
    const std::vector<GlobalBatch> after(
        two.begin() + static_cast<std::ptrdiff_t>(done), two.end());
    ASSERT_EQ(rest, after) << "after " << done << " steps";
  });
}

// A batch that is due where an epoch ends leaves the same rows waiting whether
// it is made before the end is known, as streamed runs do, or after.
TEST_F(RandomGraphTest, WhatIsReadyAtTheEndOfAnEpochIsPlannedAsStreamed) {
  RandomGraph graph(4121, pool_);
  graph.shared = true;
  RunOptions options = graph.Run();
  options.hosts = options.shards = 2;
  options.change = [](uint32_t, HostRun& host) {
    host.compile.shard_by = ShardBy::kRange;
  };
  options.force_streamed = false;
  ASSERT_OK_AND_ASSIGN(const auto planned, RunAll(graph.Make(), options));
  options.force_streamed = true;
  ASSERT_OK_AND_ASSIGN(const auto streamed, RunAll(graph.Make(), options));
  EXPECT_EQ(planned, streamed);
}

// A step that was due when the run stopped is of the window that was read then,
// not of the one that is read next.
TEST_F(RandomGraphTest, AStepThatWasDueBelongsToTheWindowOfItsRows) {
  RandomGraph graph(3354, pool_);
  ASSERT_OK_AND_ASSIGN(const auto expected, RunOnOne(graph));
  for (size_t done = 1; done < expected.size(); done += kCaseStride) {
    RunOptions options = graph.Run();
    options.restore = expected[done - 1].state_after;
    ASSERT_OK_AND_ASSIGN(const auto rest, RunAll(graph.Make(), options));
    for (size_t i = 0; i < rest.size(); ++i) {
      ASSERT_EQ(rest[i].state_after, expected[done + i].state_after) << done;
    }
  }
}

// Any number of hosts goes on where any other stopped.
TEST_F(RandomGraphTest, EveryPairOfHostCountsResumes) {
  constexpr uint32_t kHosts[] = {1, 2, 3, 4, 6, 8, 16};
  int graphs = 0;
  uint64_t pairs = 0;
  for (uint64_t seed = 1000; graphs < 1 + Cases(4); ++seed) {
    RandomGraph graph(seed, pool_);
    graph.batch = 48;
    for (int64_t& rows : graph.length_rows) rows *= 4;
    const ::testing::ScopedTrace trace(__FILE__, __LINE__, graph.Describe());
    ASSERT_OK_AND_ASSIGN(const auto expected, RunOnOne(graph));
    if (expected.size() < 8) continue;
    ++graphs;
    for (const uint32_t before : kHosts) {
      ++pairs;  // another `after` than the last time, where a seventh is tried
      RunOptions first = graph.Run();
      first.shards = 48;
      first.hosts = before;
      first.max_steps = 1 + graph.Draw(expected.size() - 1);
      ASSERT_OK_AND_ASSIGN(const auto begun, RunAll(graph.Make(), first));
      for (const uint32_t after : kHosts) {
        if (pairs++ % kCaseStride != 0) continue;
        RunOptions second = graph.Run();
        second.shards = 48;
        second.hosts = after;
        second.restore = begun.back().state_after;
        ASSERT_OK_AND_ASSIGN(auto rest, RunAll(graph.Make(), second));
        rest.insert(rest.begin(), begun.begin(), begun.end());
        ASSERT_EQ(rest, expected) << before << " hosts, then " << after;
      }
    }
  }
}

// Where no length matters a host knows its rows by their positions, so that a
// limit must not end a batch early.
TEST_F(RandomGraphTest, RowsWithoutLengthsIgnoreTheLimitOfWhatWaits) {
  RandomGraph graph(3, pool_);
  graph.arrange = RandomGraph::kFixed;
  graph.waiting_bytes = 1;
  graph.force_streamed = true;
  RunOptions options = graph.Run();
  options.shards = options.hosts = 3;
  ASSERT_OK_AND_ASSIGN(const auto expected, RunOnOne(graph));
  ASSERT_OK_AND_ASSIGN(const auto batches, RunAll(graph.Make(), options));
  EXPECT_EQ(batches, expected);
  CheckContents(graph, batches);
}

// Past the limit of what may wait, batches are made before they are full; this
// says that the graphs above do pass it.
TEST_F(RandomGraphTest, SomeGraphsPassTheirLimits) {
  constexpr uint64_t kForced = 1 + Cases(3);
  uint64_t forced = 0;
  for (uint64_t seed = 0; seed < 300 && forced < kForced; ++seed) {
    RandomGraph graph(seed, pool_);
    ASSERT_OK_AND_ASSIGN(const auto batches, RunOnOne(graph));
    if (!batches.empty() && batches.back().state_after.counts.forced > 0) {
      ++forced;
    }
  }
  EXPECT_EQ(forced, kForced);
}

}  // namespace
}  // namespace penstock::testing
