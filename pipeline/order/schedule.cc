#include "pipeline/order/schedule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>

namespace penstock {
namespace {

// Whether a period of `turns` has every share to nine digits.
bool IsExact(std::span<const double> shares, double turns) {
  return std::ranges::all_of(shares, [turns](double share) {
    const double rows = share * turns;
    return rows > 0.5 && std::abs(rows - std::round(rows)) < 1e-9 * turns;
  });
}

}  // namespace

std::vector<uint32_t> RoundWeights(std::span<const double> weights,
                                   uint32_t most) {
  assert(!weights.empty() && weights.size() <= most);
  // Before they are added: a sum may be infinite where none of them is.
  const double heaviest = *std::ranges::max_element(weights);
  std::vector<double> shares;
  for (const double weight : weights) shares.push_back(weight / heaviest);
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  auto turns = static_cast<uint32_t>(weights.size());
  while (turns < most && !IsExact(shares, turns)) ++turns;
  std::vector<uint32_t> quotas;
  // The part of a row that each lacks, and whose it is: first the largest.
  std::vector<std::pair<double, size_t>> lacks;
  uint32_t given = 0;
  for (size_t i = 0; i < shares.size(); ++i) {
    const double rows = shares[i] * turns;
    quotas.push_back(std::max(1u, static_cast<uint32_t>(rows + 1e-9 * turns)));
    given += quotas.back();
    lacks.emplace_back(quotas.back() - rows, i);
  }
  std::ranges::sort(lacks);
  for (size_t i = 0; given < turns; ++i, ++given) {
    ++quotas[lacks[i % lacks.size()].second];
  }
  // Those that were raised to one row took it from the largest.
  while (given > turns) {
    --*std::ranges::max_element(quotas);
    --given;
  }
  const uint32_t common =
      std::accumulate(quotas.begin(), quotas.end(), 0u,
                      [](uint32_t a, uint32_t b) { return std::gcd(a, b); });
  for (uint32_t& quota : quotas) quota /= common;
  return quotas;
}

Schedule::Schedule(std::vector<uint32_t> quotas) : quotas_(std::move(quotas)) {
  MakeTurns();
  std::vector<uint32_t> rows(quotas_.size());
  for (uint32_t i = 0; i < period(); ++i) {
    if (i > 0 && i % kMarkTurns == 0) {
      marks_.insert(marks_.end(), rows.begin(), rows.end());
    }
    ++rows[turns_[i].source];
  }
}

void Schedule::MakeTurns() {
  const uint64_t period =
      std::accumulate(quotas_.begin(), quotas_.end(), uint64_t{0});
  assert(period > 0 && period <= kMostTurns);
  turns_.reserve(period);
  if (quotas_.size() == 1) {
    for (uint32_t rank = 0; rank < period; ++rank) {
      turns_.push_back({0, static_cast<uint16_t>(rank)});
    }
    return;
  }
  // With m sources and a share of q / period, row x of a source may come from
  // turn (x + 1/k) period / q on and is due at (x + 1 - 1/k) period / q, where
  // k = 2m - 2. Both are compared as fractions over k q.
  const uint64_t k = 2 * quotas_.size() - 2;
  struct Next {
    uint64_t time;  // times k q
    uint32_t quota;
    uint16_t source;
    bool operator>(const Next& other) const {
      const uint64_t mine = time * other.quota;
      const uint64_t theirs = other.time * quota;
      return mine != theirs ? mine > theirs : source > other.source;
    }
  };
  using Soonest =
      std::priority_queue<Next, std::vector<Next>, std::greater<Next>>;
  Soonest waiting;  // by when they may come
  Soonest due;      // by when they must have
  std::vector<uint32_t> rows(quotas_.size());
  for (size_t i = 0; i < quotas_.size(); ++i) {
    waiting.push({period, quotas_[i], static_cast<uint16_t>(i)});
  }
  for (uint64_t turn = 1; turn <= period; ++turn) {
    while (!waiting.empty() &&
           waiting.top().time <= turn * k * waiting.top().quota) {
      Next next = waiting.top();
      waiting.pop();
      next.time = (k * rows[next.source] + k - 1) * period;
      due.push(next);
    }
    assert(!due.empty());
    Next next = due.top();
    due.pop();
    const uint32_t rank = rows[next.source]++;
    turns_.push_back({next.source, static_cast<uint16_t>(rank)});
    next.time = (k * rows[next.source] + 1) * period;
    waiting.push(next);
  }
}

std::vector<uint64_t> Schedule::RowsIn(uint64_t positions) const {
  std::vector<uint64_t> rows;
  for (const uint32_t quota : quotas_) {
    rows.push_back(positions / period() * quota);
  }
  const uint64_t rest = positions % period();
  const uint64_t mark = rest / kMarkTurns;
  for (size_t source = 0; mark > 0 && source < rows.size(); ++source) {
    rows[source] += marks_[(mark - 1) * rows.size() + source];
  }
  for (uint64_t i = mark * kMarkTurns; i < rest; ++i) {
    ++rows[turns_[i].source];
  }
  return rows;
}

std::vector<uint64_t> Schedule::EndsOf(std::span<const uint64_t> rows) const {
  std::vector<uint64_t> ends(quotas_.size());
  for (uint32_t i = 0; i < period(); ++i) {
    const auto [source, rank] = turns_[i];
    const uint64_t last = rows[source] - 1;
    if (last % quotas_[source] != rank) continue;
    ends[source] = last / quotas_[source] * period() + i + 1;
  }
  return ends;
}

}  // namespace penstock
