// Several orders in one, in fixed ratios.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/dataset.h"
#include "pipeline/order/order.h"
#include "pipeline/state.h"

namespace penstock {

struct MixPart {
  std::shared_ptr<const Order> order;
  double weight = 1;  // of its rows, beside those of the others
};

// What became of a part.
struct MixShare {
  double weight = 0;  // as it was rounded; all together are 1
  uint64_t rows = 0;  // in an epoch of the mix; kEndless where that has no end
};

class MixOrder : public Order {
 public:
  // A mix on its way: what it goes on from.
  struct Begin {
    uint64_t epoch = 0;
    // By part; those behind the last have no rows yet.
    std::vector<MixTaken> taken = {};
  };

  // By part. Under MixStop::kLast `weight` is while all of them last.
  virtual const std::vector<MixShare>& shares() const = 0;

  // Position p of epoch e is row e r + k of a part, which has r of the rows of
  // an epoch, k of them before p: a part that was not through at the end of an
  // epoch goes on there in the next, and begins again when it is through.
  //
  // Cost:    two looks at tables a position, and the part's own, for thousands
  //          of positions at once; under kLast, a search of the phases.
  // Memory:  4 bytes a turn of a period, 256 KiB at most; under kLast a period
  //          for each time that a part leaves, 32 MiB at most.
  // Errors:  kInvalidArgument for a part without records, a weight that is no
  //          positive number, a mix that never ends by its own rule, or one of
  //          more than kMostParts.
  static StatusOr<std::unique_ptr<const MixOrder>> Create(
      std::vector<MixPart> parts, MixStop stop);

  // The same mix behind `begin`: of that epoch, whose positions are counted
  // from there; or of all that come after it.
  virtual std::shared_ptr<const MixOrder> RestOf(const Begin& begin) const = 0;
  virtual std::shared_ptr<const MixOrder> After(const Begin& begin) const = 0;

  // What each part had given by `position` of an epoch.
  // Cost:    that of Schedule::RowsIn().
  virtual std::vector<MixTaken> Taken(uint64_t epoch,
                                      uint64_t position) const = 0;

  static constexpr size_t kMostParts = 1024;
};

}  // namespace penstock
