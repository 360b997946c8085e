// Views of views of sources, drawn at random, with a model of what they leave.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/dataset.h"
#include "tests/pipeline/random_graph.h"

namespace penstock::testing {

// What is drawn, and what was drawn in words.
class Drawing {
 public:
  explicit Drawing(uint64_t seed) : random_(seed) {}

  uint64_t Draw(uint64_t below) { return random_() % below; }
  bool One(uint64_t in) { return Draw(in) == 0; }
  void Say(std::string stage) { said_.push_back(std::move(stage)); }
  const std::vector<std::string>& said() const { return said_; }
  std::mt19937_64& random() { return random_; }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> said_;
};

// Some records of `records` of the sources below it.
struct VariedView {
  Dataset dataset;
  uint64_t records = 0;
  // Of an epoch; none where a mix ends somewhere inside.
  std::optional<std::vector<uint64_t>> ids;
  bool shuffled = false;  // the ids are not in the order of the epoch
};

// Views over sources that have an index or are in memory; or files that are
// read in sequence, without any.
VariedView DrawView(Drawing& drawing, DataPool& pool, bool in_sequence);

}  // namespace penstock::testing
