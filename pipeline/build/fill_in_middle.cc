#include "pipeline/build/fill_in_middle.h"

#include <algorithm>

#include "pipeline/order/keyed_draws.h"

namespace penstock {
namespace {

constexpr size_t kSentinels = 3;

}  // namespace

MiddleCut FillInMiddleWriter::CutOf(uint64_t record, uint64_t epoch,
                                    size_t begin, size_t count) const {
  KeyedDraws draws(
      MixKeys({RecordKey(options_.seed, epoch, SeedStage::kFillInMiddle,
                         dataset_, record),
               begin}));
  MiddleCut cut;
  if (!Chance(options_.rate)(draws.Next())) return cut;
  cut.suffix_first = Chance(options_.spm_rate)(draws.Next());
  cut.first = draws.Below(count + 1);
  cut.second = draws.Below(count + 1);
  if (cut.first > cut.second) std::swap(cut.first, cut.second);
  cut.rearranged = count - cut.second > kSentinels;
  return cut;
}

Status FillInMiddleWriter::Write(const ValueRange& from, const TensorSpec& spec,
                                 size_t to, uint64_t epoch, Tensor& tensor,
                                 const Locate& locate, uint64_t record) const {
  const MiddleCut cut = CutOf(record, epoch, from.begin, from.count);
  if (!cut.rearranged) {
    return CopyValues(from, spec, to, tensor, locate, record);
  }
  Status status;
  const auto token = [&](int64_t id) {
    FillValues(ValueBits(spec.type, static_cast<double>(id)), spec.type, to,
               to + 1, tensor);
    ++to;
  };
  const auto part = [&](size_t begin, size_t end) {
    ValueRange values = from;
    values.begin = from.begin + begin;
    values.count = end - begin;
    status.Update(CopyValues(values, spec, to, tensor, locate, record));
    to += values.count;
  };
  const size_t end = from.count - kSentinels;
  token(options_.prefix_id);
  if (cut.suffix_first) {
    token(options_.suffix_id);
    part(cut.second, end);
    token(options_.middle_id);
    part(0, cut.first);
  } else {
    part(0, cut.first);
    token(options_.suffix_id);
    part(cut.second, end);
    token(options_.middle_id);
  }
  part(cut.first, cut.second);
  return status;
}

}  // namespace penstock
