// Whose turn it is, where several sources share the positions of an epoch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace penstock {

// Rows of each source in one period, at least 1, so that their ratios are those
// of the weights. Weights that are exact in a shorter period (0.7 and 0.3 in
// one of 10) get the shortest; others are rounded to one of `most` turns, which
// changes a share by less than 1 / `most` where none is below that.
//
// Shapes:  as many out as in; at most `most`, each positive and finite.
// Cost:    `most` looks at each weight.
std::vector<uint32_t> RoundWeights(std::span<const double> weights,
                                   uint32_t most);

// One period, which repeats. Of every prefix of it, each source has less than
// one row more or less than its share.
//
// Memory:  4 bytes a turn.
// Threads: any number at a time.
// Source:  Tijdeman, "The chairman assignment problem", Discrete Mathematics
//          32, 1980: of the sources that are due, the one that is to come
//          soonest.
class Schedule {
 public:
  struct Turn {
    uint16_t source;
    uint16_t rank;  // how many turns it had before, in this period
  };

  static constexpr uint32_t kMostTurns = 1 << 16;
  static constexpr uint32_t kMarkTurns = 1 << 12;

  // The sum of `quotas`, which are positive, is at most kMostTurns.
  explicit Schedule(std::vector<uint32_t> quotas);

  uint32_t period() const { return static_cast<uint32_t>(turns_.size()); }
  const std::vector<uint32_t>& quotas() const { return quotas_; }
  const Turn& turn(uint32_t place) const { return turns_[place]; }
  uint64_t table_bytes() const {
    return turns_.capacity() * sizeof(Turn) + quotas_.capacity() * 4 +
           marks_.capacity() * 4;
  }

  // How many of the first `positions` each source has.
  // Cost: a look at kMarkTurns turns at most.
  std::vector<uint64_t> RowsIn(uint64_t positions) const;
  // The number of positions by which each source has had rows[i], at least 1.
  std::vector<uint64_t> EndsOf(std::span<const uint64_t> rows) const;

 private:
  void MakeTurns();

  std::vector<uint32_t> quotas_;
  std::vector<Turn> turns_;
  // Before turns kMarkTurns, 2 kMarkTurns ...: the rows of each source.
  std::vector<uint32_t> marks_;
};

}  // namespace penstock
