// Was every record seen, and each once an epoch?
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "formats/records/record_digest.h"

namespace penstock {

struct EpochCensus {
  uint64_t epoch = 0;
  uint64_t seen = 0;        // records, each time counted
  uint64_t duplicated = 0;  // those of them that had been seen in this epoch
  // Records of the dataset not seen; nullopt where their number is not known.
  // A run that begins or stops within the epoch misses the rest of it.
  std::optional<uint64_t> missing;
};

// How many epochs keep their marks until the end.
enum class CensusKeeps {
  kLastTwo,  // devices are at most one step apart
  kAll,      // to be merged with those of other processes
};

// What one host marked of an epoch.
struct EpochMarks {
  uint64_t epoch = 0;
  uint64_t seen = 0;
  uint64_t duplicated = 0;
  std::vector<uint8_t> bits = {};  // of ids, eight a byte, lowest first
};

// Marks record ids as the devices take them, exactly: a bit for each record of
// an epoch. Rows that pad have none.
//
// Memory:  an eighth of a byte a record for each epoch that is under way.
// Threads: one at a time.
class RecordCensus {
 public:
  // `records` of one epoch, where that is known.
  explicit RecordCensus(std::optional<uint64_t> records = std::nullopt,
                        CensusKeeps keeps = CensusKeeps::kLastTwo);

  void Mark(uint64_t epoch, std::span<const uint64_t> ids);
  // All that is kept, and adding what another host kept.
  std::vector<EpochMarks> Marks() const;
  void Merge(const std::vector<EpochMarks>& marks, const RecordDigest& digest);

  // By epoch, in order.
  std::vector<EpochCensus> Epochs() const;
  // Of all ids marked.
  const RecordDigest& digest() const { return digest_; }

 private:
  struct Epoch {
    std::vector<bool> marked;
    EpochCensus census;
    uint64_t distinct = 0;
  };

  Epoch& Open(uint64_t number);
  EpochCensus CensusOf(const Epoch& epoch) const;

  const std::optional<uint64_t> records_;
  const CensusKeeps keeps_;
  std::map<uint64_t, Epoch> open_;
  std::vector<EpochCensus> closed_;
  RecordDigest digest_;
};

}  // namespace penstock
