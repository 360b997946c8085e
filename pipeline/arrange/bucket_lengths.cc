#include "pipeline/arrange/bucket_lengths.h"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <span>

#include "pipeline/tasks/parallel_for.h"

namespace penstock {
namespace {

// How many rows need each multiple, by the multiple.
std::map<uint64_t, uint64_t> CountMultiples(const LengthTable& lengths,
                                            uint64_t multiple_of,
                                            TaskQueue& tasks) {
  constexpr size_t kPart = 1 << 20;
  std::vector<std::span<const uint32_t>> parts;
  for (const auto& column : lengths.columns()) {
    for (size_t begin = 0; begin < column.size(); begin += kPart) {
      parts.push_back(
          column.subspan(begin, std::min(kPart, column.size() - begin)));
    }
  }
  std::mutex mutex;
  std::map<uint64_t, uint64_t> all;
  ParallelFor(tasks, parts.size(), {}, [&](uint64_t part) {
    std::vector<uint32_t> sorted(parts[part].begin(), parts[part].end());
    std::ranges::sort(sorted);
    const std::lock_guard lock(mutex);
    auto at = all.end();
    for (const uint32_t length : sorted) {
      const uint64_t multiple =
          std::max<uint64_t>(1, (length + multiple_of - 1) / multiple_of);
      if (at == all.end() || at->first != multiple) {
        at = all.try_emplace(multiple, 0).first;
      }
      ++at->second;
    }
  }).IgnoreError();  // nobody stops it
  return all;
}

// The least cost of the first rows in a number of buckets, and where the last
// of these begins.
class LeastPadding {
 public:
  LeastPadding(std::vector<uint64_t> lengths, std::vector<uint64_t> rows)
      : lengths_(std::move(lengths)), rows_(std::move(rows)) {
    cost_.assign(lengths_.size() + 1, std::numeric_limits<double>::max());
    cost_[0] = 0;
  }

  // One bucket more. Returns where the last begins, for each end.
  std::vector<size_t> AddBucket() {
    next_.assign(cost_.size(), std::numeric_limits<double>::max());
    next_[0] = 0;
    begin_.assign(cost_.size(), 0);
    Solve(1, lengths_.size(), 0, lengths_.size() - 1);
    cost_ = next_;
    return begin_;
  }

  double cost() const { return cost_.back(); }

 private:
  // Values of lengths [begin, end) in one bucket.
  double CostOf(size_t begin, size_t end) const {
    return static_cast<double>(lengths_[end - 1]) *
           static_cast<double>(rows_[end] - rows_[begin]);
  }
  // For ends [first, last], whose last bucket begins in [from, to].
  void Solve(size_t first, size_t last, size_t from, size_t to) {
    if (first > last) return;
    const size_t end = first + (last - first) / 2;
    size_t best = from;
    for (size_t begin = from; begin <= std::min(to, end - 1); ++begin) {
      if (cost_[begin] == std::numeric_limits<double>::max()) continue;
      const double cost = cost_[begin] + CostOf(begin, end);
      if (cost < next_[end]) {
        next_[end] = cost;
        best = begin;
      }
    }
    begin_[end] = best;
    Solve(first, end - 1, from, best);
    Solve(end + 1, last, best, to);
  }

  const std::vector<uint64_t> lengths_;
  const std::vector<uint64_t> rows_;  // [lengths + 1]: of those before
  std::vector<double> cost_;          // [lengths + 1]
  std::vector<double> next_;
  std::vector<size_t> begin_;
};

}  // namespace

std::vector<int64_t> ChooseBucketLengths(const LengthTable& lengths,
                                         BucketChoice choice,
                                         TaskQueue& tasks) {
  std::vector<uint64_t> multiples;
  std::vector<uint64_t> rows = {0};
  for (const auto& [multiple, count] :
       CountMultiples(lengths, choice.multiple_of, tasks)) {
    multiples.push_back(multiple);
    rows.push_back(rows.back() + count);
  }
  if (multiples.empty()) return {};
  LeastPadding least(multiples, rows);
  std::vector<std::vector<size_t>> begins;
  double before = std::numeric_limits<double>::max();
  while (begins.size() < std::min(choice.shapes, multiples.size())) {
    begins.push_back(least.AddBucket());
    if (least.cost() >= before) {
      begins.pop_back();
      break;
    }
    before = least.cost();
  }
  std::vector<int64_t> chosen;
  size_t end = multiples.size();
  for (auto begin = begins.rbegin(); begin != begins.rend() && end > 0;
       ++begin) {
    chosen.push_back(
        static_cast<int64_t>(multiples[end - 1] * choice.multiple_of));
    end = (*begin)[end];
  }
  std::ranges::reverse(chosen);
  return chosen;
}

}  // namespace penstock
