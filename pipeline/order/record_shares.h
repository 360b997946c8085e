// Which host a record is of, where each host reads a part of the data.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "pipeline/compile_options.h"
#include "pipeline/order/order.h"

namespace penstock {

// Part `host` of `records` records that follow each other: as many as the
// others have, or one more of those before the rest. With `drop`, as many
// alone; the rest is nobody's.
//
// Returns:  where it begins and ends.
std::pair<uint64_t, uint64_t> EvenSplit(uint64_t records, uint32_t host,
                                        uint32_t hosts, bool drop);

// The records of one source in the order of its files, those that are left out
// not among them.
struct SharedSource {
  std::shared_ptr<const Order> order;
  uint64_t first_id = 0;
  // The id of each file's first record.
  std::vector<uint64_t> first_of_file;
};

// Threads: any number at a time.
class RecordShares {
 public:
  // By kFile, kRecord or kRange. Of several sources each is shared for itself.
  // `drop`: see EvenSplit().
  RecordShares(ShardBy by, uint32_t hosts, bool drop,
               std::vector<SharedSource> sources);

  uint32_t hosts() const { return hosts_; }

  // What a host has of a source, in the order of its files.
  std::shared_ptr<const Order> ShareOf(size_t source, uint32_t host) const;

  // No host, hosts(), for some ids that are in no share.
  // Cost:  a search of the sources and files; where records are left out, one
  //        of the order.
  uint32_t HostOf(uint64_t record_id) const;

 private:
  // How many records of a source come before this id.
  uint64_t RankOf(const SharedSource& source, uint64_t record_id) const;

  const ShardBy by_;
  const uint32_t hosts_;
  const bool drop_;
  const std::vector<SharedSource> sources_;
};

}  // namespace penstock
