// The samples of Megatron-LM's GPTDataset, as an order of parts of records.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/order/lengths.h"
#include "pipeline/order/megatron_index.h"
#include "pipeline/order/order.h"

namespace penstock {

// Sample after sample, each the parts of records that it has, which are
// options.length + 1 values. Every epoch is the same.
//
// Memory:  tables of 4 bytes a document and pass, and 20 a sample.
class MegatronOrder final : public Order {
 public:
  // The documents are the records of `of`, whose epochs must have the same
  // positions; none may be left out of `lengths`.
  // Errors:  those of MakeMegatronIndex().
  static StatusOr<std::shared_ptr<const MegatronOrder>> Create(
      std::shared_ptr<const Order> of, LengthTable lengths,
      const MegatronOptions& options);

  // As many as are wanted, or one pass has.
  uint64_t samples() const { return begins_.size() - 1; }
  uint64_t passes() const { return index_.passes; }

  uint64_t records() const override { return begins_.back(); }
  uint64_t id_limit() const override { return of_->id_limit(); }
  bool whole() const override { return false; }
  bool distinct() const override { return false; }
  InCommon epochs_share() const override { return InCommon::kPositions; }
  uint64_t table_bytes() const override;
  void Fill(uint64_t epoch, uint64_t first,
            std::span<uint64_t> ids) const override;
  void Look(uint64_t epoch, std::span<uint64_t> positions) const override;
  bool has_parts() const override { return true; }
  void FillParts(uint64_t first, std::span<RecordPart> parts) const override;
  bool MayStopBefore(uint64_t position) const override;

 private:
  MegatronOrder(std::shared_ptr<const Order> of, LengthTable lengths,
                uint64_t length, MegatronIndex index)
      : of_(std::move(of)),
        lengths_(std::move(lengths)),
        length_(length),
        index_(std::move(index)) {}

  uint64_t RecordOf(uint64_t place) const;
  // Appends the parts of a sample that are not empty.
  void AppendParts(uint64_t sample, std::vector<RecordPart>& parts) const;

  const std::shared_ptr<const Order> of_;
  const LengthTable lengths_;
  const uint64_t length_;
  const MegatronIndex index_;
  std::vector<uint64_t> begins_ = {0};  // the first position of each, then all
};

}  // namespace penstock
