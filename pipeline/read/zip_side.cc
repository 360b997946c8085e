#include "pipeline/read/zip_side.h"

#include <algorithm>
#include <utility>

#include "pipeline/tasks/cancelled.h"

namespace penstock {

Status ZipSide::StartAt(SequenceStart start) {
  if (sequence() == nullptr) {
    next_ = start.needed.empty() ? start.end : start.needed.front();
    return OkStatus();
  }
  for (uint64_t& id : start.needed) id += dataset_.part.begin;
  start.end += dataset_.part.begin;
  return sequence()->StartAt(start);
}

uint64_t ZipSide::next_id() const {
  if (sequence() == nullptr) return next_;
  const SliceOptions& part = dataset_.part;
  const uint64_t next = std::min(sequence()->next_id(), part.end);
  return std::max(next, part.begin) - part.begin;
}

StatusOr<bool> ZipSide::HasNext(const std::stop_token& stop) {
  const SliceOptions& part = dataset_.part;
  if (sequence() == nullptr) {
    return next_ < part.end - part.begin;
  }
  if (sequence()->next_id() >= part.end) return false;
  PENSTOCK_ASSIGN_OR_RETURN(const bool more, sequence()->HasNext(stop));
  return more && sequence()->next_id() < part.end;
}

StatusOr<bool> ZipSide::GoTo(uint64_t id, const std::stop_token& stop) {
  if (sequence() == nullptr) {
    next_ =
        std::min(std::max(next_, id), dataset_.part.end - dataset_.part.begin);
    return HasNext(stop);
  }
  const uint64_t wanted = id + dataset_.part.begin;
  for (;;) {
    if (stop.stop_requested()) return PipelineCancelled();
    PENSTOCK_ASSIGN_OR_RETURN(const bool more, HasNext(stop));
    if (!more || sequence()->next_id() >= wanted) return more;
    PENSTOCK_RETURN_IF_ERROR(sequence()->Next(stop).status());
  }
}

StatusOr<SequenceRecord> ZipSide::Next(const std::stop_token& stop) {
  if (sequence() == nullptr) {
    const uint64_t id = dataset_.part.begin + next_++;
    if (dataset_.numbered->in_memory()) return SequenceRecord();
    PENSTOCK_ASSIGN_OR_RETURN(
        const GatherBound bound,
        dataset_.numbered->FindWithin(std::span(&id, 1), UINT64_MAX, found_));
    return SequenceRecord{.size_bytes = bound.bytes};
  }
  PENSTOCK_ASSIGN_OR_RETURN(const auto record, sequence()->Next(stop));
  if (record) return *record;
  return InternalError("a dataset of a zip ended where it had a record");
}

}  // namespace penstock
