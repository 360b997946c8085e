#include "pipeline/order/megatron_order.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

namespace penstock {

StatusOr<std::shared_ptr<const MegatronOrder>> MegatronOrder::Create(
    std::shared_ptr<const Order> of, LengthTable lengths,
    const MegatronOptions& options) {
  assert(of->epochs_share() == InCommon::kPositions && !lengths.leaves_out());
  std::vector<uint64_t> ids(of->records());
  of->Fill(/*epoch=*/0, 0, ids);
  std::vector<uint32_t> of_documents(ids.size());
  lengths.Look(ids, of_documents);
  PENSTOCK_ASSIGN_OR_RETURN(MegatronIndex index,
                            MakeMegatronIndex(of_documents, options));
  const std::shared_ptr<MegatronOrder> order(new MegatronOrder(
      std::move(of), std::move(lengths), options.length, std::move(index)));
  const std::vector<uint32_t>& shuffled = order->index_.shuffled;
  const uint64_t samples =
      options.samples > 0 ? options.samples : shuffled.size();
  order->begins_.reserve(samples + 1);
  for (uint64_t i = 0; i < samples; ++i) {
    const MegatronIndex::Begin begin = order->index_.samples[shuffled[i]];
    const MegatronIndex::Begin end = order->index_.samples[shuffled[i] + 1];
    // Up to the document that has the last value, but empty ones.
    uint64_t parts = 0;
    for (uint64_t place = begin.place; place <= end.place; ++place) {
      if (of_documents[order->index_.documents[place]] > 0) ++parts;
    }
    order->begins_.push_back(order->begins_.back() + parts);
  }
  return std::shared_ptr<const MegatronOrder>(order);
}

uint64_t MegatronOrder::table_bytes() const {
  return of_->table_bytes() + index_.documents.capacity() * sizeof(uint32_t) +
         index_.samples.capacity() * sizeof(MegatronIndex::Begin) +
         index_.shuffled.capacity() * sizeof(uint32_t) +
         begins_.capacity() * sizeof(uint64_t);
}

uint64_t MegatronOrder::RecordOf(uint64_t place) const {
  uint64_t record = index_.documents[place];
  of_->Look(/*epoch=*/0, std::span(&record, 1));
  return record;
}

void MegatronOrder::AppendParts(uint64_t sample,
                                std::vector<RecordPart>& parts) const {
  const auto [first, offset] = index_.samples[index_.shuffled[sample]];
  uint32_t begin = offset;
  uint64_t need = length_ + 1;
  for (uint64_t place = first; need > 0; ++place, begin = 0) {
    const uint64_t record = RecordOf(place);
    const auto taken = static_cast<uint32_t>(
        std::min<uint64_t>(need, lengths_(record) - begin));
    if (taken > 0) {
      parts.push_back({.record = record, .begin = begin, .end = begin + taken});
    }
    need -= taken;
  }
}

void MegatronOrder::FillParts(uint64_t first,
                              std::span<RecordPart> parts) const {
  auto sample = static_cast<uint64_t>(std::ranges::upper_bound(begins_, first) -
                                      begins_.begin() - 1);
  std::vector<RecordPart> found;
  uint64_t skipped = first - begins_[sample];
  while (!parts.empty()) {
    found.clear();
    AppendParts(sample++, found);
    const auto rest = std::span<const RecordPart>(found).subspan(skipped);
    const size_t count = std::min(rest.size(), parts.size());
    std::ranges::copy(rest.first(count), parts.begin());
    parts = parts.subspan(count);
    skipped = 0;
  }
}

bool MegatronOrder::MayStopBefore(uint64_t position) const {
  return std::ranges::binary_search(begins_, position);
}

void MegatronOrder::Fill(uint64_t, uint64_t first,
                         std::span<uint64_t> ids) const {
  std::vector<RecordPart> parts(ids.size());
  FillParts(first, parts);
  std::ranges::transform(parts, ids.begin(), &RecordPart::record);
}

void MegatronOrder::Look(uint64_t, std::span<uint64_t> positions) const {
  for (uint64_t& position : positions) {
    RecordPart part;
    FillParts(position, std::span(&part, 1));
    position = part.record;
  }
}

}  // namespace penstock
