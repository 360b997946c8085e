// Parts of batches that hosts have made of their own records, until the batch
// is due that they are parts of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/arrange/arranger.h"
#include "pipeline/arrange/row_fit.h"

namespace penstock {

// Parts wait by queue and host, the first one in front.
//
// Threads: one at a time.
class ReadyParts {
 public:
  // Of a queue and a host: with one more, a batch of the queue is due.
  static constexpr size_t kMostParts = 16;
  // HeldPiece::bin of a part has it, and below it the number of its row among
  // those of all parts of its host.
  static constexpr uint32_t kBin = uint32_t{1} << 31;

  // Both outlive this; `options` without shares.
  ReadyParts(const ArrangeOptions& options, const ShareRule& rule);

  void Push(size_t host, Assignment part);
  void Clear();

  // Three reasons to make a batch of a queue, to be asked in this order, so
  // that batches are the same whether a run was interrupted among them or not:
  // every host has a part; one waits with more than kMostParts; there is any.
  std::optional<size_t> FullQueue() const;
  std::optional<size_t> OverfullQueue() const;
  std::optional<size_t> AnyQueue() const;
  // That of which most parts wait.
  size_t FullestQueue() const;
  // A batch of the first part of each host that has one.
  void Take(size_t queue, Assignment& out);

  uint64_t bytes() const { return bytes_; }
  uint64_t records() const;

  // Those of a host, and back. `held` begins with them; how many they are, or
  // nothing where no such parts can have waited.
  void Hold(size_t host, std::vector<HeldPiece>& held) const;
  std::optional<size_t> Load(size_t host, std::span<const HeldPiece> held,
                             std::span<const Row> rows);

  // Of a batch of each queue, at most.
  uint64_t BatchBytes() const;
  size_t queues() const { return parts_.size(); }

 private:
  using Parts = std::deque<Assignment>;

  // The first queue whose hosts' parts are so.
  template <typename Is>
  std::optional<size_t> FirstQueue(Is is) const;

  size_t QueueOf(const Assignment& part) const {
    return options_.one_queue ? 0 : part.shape;
  }
  const std::vector<uint32_t>& RowsOf(size_t host, size_t queue) const {
    const auto& rows = rule_.rows[host];
    return rows[rows.size() > 1 ? queue : 0];
  }
  uint32_t MostRowsOf(size_t host) const {
    return static_cast<uint32_t>(rule_.MostRowsOf(host));
  }
  uint64_t BytesOf(const Assignment& part) const;
  bool PlacePiece(const HeldPiece& held, Row row, std::vector<Piece>& in_row,
                  size_t& shape) const;
  bool LoadPart(size_t host, std::span<const HeldPiece> held,
                std::span<const Row> rows);

  const ArrangeOptions& options_;
  const ShareRule& rule_;
  const RowFit fit_;
  std::vector<std::vector<Parts>> parts_;  // [queues][hosts]
  uint64_t bytes_ = 0;
};

}  // namespace penstock
