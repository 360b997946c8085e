// Graphs of the stages that random_graph.h draws once or not at all: views of
// views, stages that stand twice, other sides, widths, lengths and ends. They
// know less of what comes out: which records an epoch has, where that is told.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "pipeline/dataset.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/random_graph.h"

namespace penstock::testing {

// Some records of `records` of the sources below it.
struct VariedView {
  Dataset dataset;
  uint64_t records = 0;
  // Of an epoch; none where a mix ends somewhere inside.
  std::optional<std::vector<uint64_t>> ids;
  bool shuffled = false;  // the ids are not in the order of the epoch
};

class VariedGraph {
 public:
  VariedGraph(uint64_t number, DataPool& pool);

  const Dataset& dataset() const { return *dataset_; }
  // What it is made of, stage by stage.
  std::string Describe() const;
  // Of any hosts, shards and threads.
  RunOptions Run();
  RunOptions RunOnOne() const;
  uint64_t Draw(uint64_t below) { return random_() % below; }
  // Whether it may be planned and streamed, with the same batches.
  bool streams() const { return streams_; }
  // What all epochs have together, sorted; none where rows are dropped or are
  // not told apart.
  const std::optional<std::vector<uint64_t>>& ids() const { return ids_; }

 private:
  bool One(uint64_t in) { return Draw(in) == 0; }
  void Say(std::string stage) { said_.push_back(std::move(stage)); }

  VariedView Source();
  VariedView InSequence();
  VariedView Among(VariedView view);
  VariedView Between(VariedView view);
  VariedView Together(uint64_t depth);
  VariedView Mixed(std::vector<VariedView> parts);
  Dataset Parsed(const Dataset& dataset);
  Dataset Changed(Dataset dataset);
  Dataset Learned(const Dataset& dataset);
  Dataset Arranged(const Dataset& dataset);
  Dataset Bucketed(const Dataset& dataset);
  Dataset Packed(const Dataset& dataset);

  uint64_t number_;
  std::mt19937_64 random_;
  DataPool& pool_;
  std::vector<std::string> said_;
  std::string tokens_ = "tokens";  // as the last Rename has it
  bool streams_ = true;
  bool dropping_ = false;  // rows may be dropped, or come in other numbers
  bool in_sequence_;
  bool packing_;
  bool cuts_left_ = false;
  bool all_lengths_ = true;  // every source has lengths in its indexes
  // Small in one of six.
  uint64_t waiting_bytes_ = uint64_t{1} << 32;
  uint64_t window_bytes_ = uint64_t{1} << 28;
  Leftover leftover_ = Leftover::kPad;
  int64_t size_ = 12;
  std::optional<std::vector<uint64_t>> ids_;
  std::optional<Dataset> dataset_;
};

}  // namespace penstock::testing
