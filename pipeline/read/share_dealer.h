// Deals rows out one by one as they are read, when nobody knows yet how large
// the next ones are.
#pragma once

#include <cstdint>
#include <vector>

#include "pipeline/read/rounds.h"
#include "pipeline/read/sequence.h"

namespace penstock {

// Fills `round`: a host's share ends with the row that makes it
// options.raw_bytes long or its part of options.rows. So all hosts get about
// the same, whether records are many or large. Where it is known who decodes a
// record, a round ends with the first share that does.
//
// Threads: one at a time.
class ShareDealer {
 public:
  // `first` is the position in the epoch of the first row. Both are borrowed.
  ShareDealer(const RoundOptions& options, uint64_t first, Round& round);

  // Whether the round takes no more rows.
  bool full() const { return full_; }
  // Deals the next row; true where it is this host's.
  bool Deal(const SequenceRecord& record);
  // Bytes of the largest share.
  uint64_t most_bytes() const;

 private:
  struct Dealt {
    uint64_t rows = 0;
    uint64_t bytes = 0;
  };

  bool DealTo(uint32_t host, uint64_t size_bytes);
  bool EndsShare(const Dealt& dealt) const {
    return dealt.rows == rows_each_ || dealt.bytes >= options_.raw_bytes;
  }

  const RoundOptions& options_;
  const uint64_t first_;
  Round& round_;
  const uint64_t rows_each_;
  uint32_t host_ = 0;         // whose turn it is
  std::vector<Dealt> dealt_;  // [hosts]
  bool full_ = false;
};

}  // namespace penstock
