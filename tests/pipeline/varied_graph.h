// Graphs of the stages that random_graph.h draws once or not at all: views of
// views, stages that stand twice, other sides, widths, lengths and ends. They
// know less of what comes out: which records an epoch has, where that is told.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/dataset.h"
#include "tests/pipeline/dataset_fixture.h"
#include "tests/pipeline/random_graph.h"
#include "tests/pipeline/varied_views.h"

namespace penstock::testing {

class VariedGraph {
 public:
  VariedGraph(uint64_t number, DataPool& pool);

  const Dataset& dataset() const { return *dataset_; }
  // What it is made of, stage by stage.
  std::string Describe() const;
  // Of any hosts, shards and threads.
  RunOptions Run();
  RunOptions RunOnOne() const;
  uint64_t Draw(uint64_t below) { return drawing_.Draw(below); }
  // Whether it may be planned and streamed, with the same batches.
  bool streams() const { return streams_; }
  // Of the records of all epochs together, sorted, where the views tell.
  const std::optional<std::vector<uint64_t>>& ids() const { return ids_; }
  // Whether each comes once; otherwise some may be missing or come again.
  bool all_come() const { return !dropping_; }

 private:
  bool One(uint64_t in) { return drawing_.One(in); }
  void Say(std::string stage) { drawing_.Say(std::move(stage)); }

  Dataset Parsed(const Dataset& dataset);
  Dataset Changed(Dataset dataset);
  Dataset Learned(const Dataset& dataset);
  Dataset Arranged(const Dataset& dataset);
  Dataset Bucketed(const Dataset& dataset);
  Dataset Packed(const Dataset& dataset);

  uint64_t number_;
  Drawing drawing_;
  std::string tokens_ = "tokens";  // as the last Rename has it
  bool streams_ = true;
  bool dropping_ = false;  // rows may be dropped, or come in other numbers
  bool in_sequence_;
  bool packing_;
  bool cuts_left_ = false;
  // Small in one of six.
  uint64_t waiting_bytes_ = uint64_t{1} << 32;
  uint64_t window_bytes_ = uint64_t{1} << 28;
  Leftover leftover_ = Leftover::kPad;
  int64_t size_ = 12;
  std::optional<std::vector<uint64_t>> ids_;
  std::optional<Dataset> dataset_;
};

}  // namespace penstock::testing
