// What a host takes for its part of a batch, by the costs of its stages.
#pragma once

#include <algorithm>
#include <string>

#include "infeed/virtual/virtual_simulation.h"

namespace penstock {

// What one host has to do of a batch, or of all of a run.
struct HostShare {
  // Streamed: read, decode, tokenize and exchange are of the rows that it was
  // dealt, one thread does all that one thread does. Planned: everything is of
  // the rows that it feeds.
  bool streamed = false;
  double rows = 0;         // of all hosts
  double fed_bytes = 0;    // of the tensors that it makes
  double dealt_bytes = 0;  // of those of all hosts, its share; streamed
  // Of the same, what it reads: all where every host reads every file.
  double read_bytes = 0;
};

struct HostTimes {
  double alone_ns = 0;  // of one thread: no less than that in all
  double dealt_ns = 0;  // of the stages that share threads: rows it was dealt
  double fed_ns = 0;    // and of those that it feeds
  double hand_over_ns = 0;   // on top
  std::string longest = {};  // what takes most: a stage, or "hand-over"

  double built_ns() const { return std::max(alone_ns, dealt_ns + fed_ns); }
};

HostTimes TimesOf(const Calibration& costs, const HostShare& share);

}  // namespace penstock
