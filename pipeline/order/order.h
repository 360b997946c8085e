// Which record stands at which position of an epoch. Touches no data.
//
// Implementations form a star around this header: order, block_order,
// kept_order, view_order, mix_order, megatron_order. All but the first and
// kept_order stand on other orders, so that a graph is a tree of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

namespace penstock {

// Order::records() of what has no end.
inline constexpr uint64_t kEndless = UINT64_MAX;

// What all epochs of an order have in common, from nothing to everything.
enum class InCommon {
  kNothing,
  kRecords,    // the same ones, as often
  kPositions,  // the same record at each position
};

// Values [begin, end) of a record.
struct RecordPart {
  uint64_t record = 0;
  uint32_t begin = 0;
  uint32_t end = 0;
};

// An order is arithmetic: it holds no state, so a position says all there is to
// know of where a run is.
//
// Shapes:  `records` positions in an epoch, a record id at each.
// Threads: any number at a time.
// Cost:    O(1) memory but for table_bytes(); positions are asked for by
//          thousands.
class Order {
 public:
  virtual ~Order() = default;

  virtual uint64_t records() const = 0;
  // All ids are below.
  virtual uint64_t id_limit() const = 0;
  // Each epoch has each record of the sources below once.
  virtual bool whole() const = 0;
  // No epoch has a record twice.
  virtual bool distinct() const = 0;
  virtual InCommon epochs_share() const = 0;
  // Of tables, those of the orders below included.
  virtual uint64_t table_bytes() const { return 0; }

  // ids[i] is the record at position `first` + i; all must be in the epoch.
  virtual void Fill(uint64_t epoch, uint64_t first,
                    std::span<uint64_t> ids) const = 0;
  // Any positions of the epoch, each replaced by its record.
  virtual void Look(uint64_t epoch, std::span<uint64_t> positions) const = 0;

  // Whether a position is a part of a record, as FillParts() says of each
  // epoch. Otherwise it is all of it, and FillParts() is not called.
  virtual bool has_parts() const { return false; }
  virtual void FillParts(uint64_t, std::span<RecordPart>) const {}
  // Whether a batch may end before a position, as positions in one row may not
  // be torn apart.
  virtual bool MayStopBefore(uint64_t) const { return true; }
};

// What a shuffle is a function of, beside the epoch.
struct ShuffleKey {
  uint64_t seed = 0;
  // Makes equal seeds on other data give other orders.
  uint64_t dataset = 0;
};

// As the files have them; the first has the id `first_id`.
std::unique_ptr<const Order> FileOrder(uint64_t records, uint64_t first_id = 0);

// All positions of `of`, permuted. It must have an end.
std::unique_ptr<const Order> ShuffledOrder(std::shared_ptr<const Order> of,
                                           ShuffleKey key);
// Of `records` records in the order of their files.
std::unique_ptr<const Order> ShuffledOrder(uint64_t records, ShuffleKey key);

// Each window of `window_records` positions that follow each other, permuted in
// itself.
std::unique_ptr<const Order> WindowOrder(std::shared_ptr<const Order> of,
                                         uint64_t window_records,
                                         ShuffleKey key);
std::unique_ptr<const Order> WindowOrder(uint64_t records,
                                         uint64_t window_records,
                                         ShuffleKey key);

// The order inside the window that begins at record `begin` and has `size`
// records, for readers that learn only at its end how long it is. ids[i] is the
// record at position `first` + i, both counted from `begin`.
void FillWindow(ShuffleKey key, uint64_t epoch, uint64_t begin, uint64_t size,
                uint64_t first, std::span<uint64_t> ids);

}  // namespace penstock
