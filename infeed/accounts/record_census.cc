#include "infeed/accounts/record_census.h"

#include <algorithm>

namespace penstock {

RecordCensus::RecordCensus(std::optional<uint64_t> records, CensusKeeps keeps)
    : records_(records), keeps_(keeps) {}

RecordCensus::Epoch& RecordCensus::Open(uint64_t number) {
  auto [place, added] = open_.try_emplace(number);
  if (added) {
    place->second.census.epoch = number;
    place->second.marked.resize(records_.value_or(0));
  }
  return place->second;
}

void RecordCensus::Mark(uint64_t epoch, std::span<const uint64_t> ids) {
  Epoch& open = Open(epoch);
  for (const uint64_t id : ids) {
    digest_.Add(id);
    ++open.census.seen;
    if (id >= open.marked.size()) open.marked.resize(id + 1);
    if (open.marked[id]) {
      ++open.census.duplicated;
    } else {
      open.marked[id] = true;
      ++open.distinct;
    }
  }
  while (keeps_ == CensusKeeps::kLastTwo && open_.size() > 2) {
    closed_.push_back(CensusOf(open_.begin()->second));
    open_.erase(open_.begin());
  }
}

std::vector<EpochMarks> RecordCensus::Marks() const {
  std::vector<EpochMarks> all;
  for (const auto& [number, epoch] : open_) {
    EpochMarks& marks = all.emplace_back();
    marks = {.epoch = number,
             .seen = epoch.census.seen,
             .duplicated = epoch.census.duplicated};
    marks.bits.resize((epoch.marked.size() + 7) / 8);
    for (size_t id = 0; id < epoch.marked.size(); ++id) {
      if (epoch.marked[id]) marks.bits[id / 8] |= uint8_t(1u << id % 8);
    }
  }
  return all;
}

void RecordCensus::Merge(const std::vector<EpochMarks>& marks,
                         const RecordDigest& digest) {
  digest_.Merge(digest);
  for (const EpochMarks& theirs : marks) {
    Epoch& open = Open(theirs.epoch);
    open.census.seen += theirs.seen;
    open.census.duplicated += theirs.duplicated;
    for (size_t id = 0; id < theirs.bits.size() * 8; ++id) {
      if ((theirs.bits[id / 8] >> id % 8 & 1) == 0) continue;
      if (id >= open.marked.size()) open.marked.resize(id + 1);
      if (open.marked[id]) {
        ++open.census.duplicated;
      } else {
        open.marked[id] = true;
        ++open.distinct;
      }
    }
  }
}

std::vector<EpochCensus> RecordCensus::Epochs() const {
  std::vector<EpochCensus> epochs = closed_;
  for (const auto& [number, epoch] : open_) epochs.push_back(CensusOf(epoch));
  return epochs;
}

EpochCensus RecordCensus::CensusOf(const Epoch& epoch) const {
  EpochCensus census = epoch.census;
  if (records_) {
    census.missing = *records_ - std::min(*records_, epoch.distinct);
  }
  return census;
}

}  // namespace penstock
