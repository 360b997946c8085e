#include "pipeline/arrange/balance.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

namespace penstock {
namespace {

std::vector<double> CostsOf(const BalanceRule& rule,
                            const Assignment& assignment) {
  const std::span<const Piece> pieces = assignment.pieces;
  std::vector<double> costs;
  for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
    const uint32_t begin = assignment.row_offsets[row];
    costs.push_back(rule.CostOf(
        pieces.subspan(begin, assignment.row_offsets[row + 1] - begin)));
  }
  return costs;
}

// [rows]: the part of each.
std::vector<uint32_t> DealToParts(const std::vector<double>& costs,
                                  uint64_t parts) {
  std::vector<uint32_t> dearest_first(costs.size());
  std::iota(dearest_first.begin(), dearest_first.end(), 0);
  std::ranges::stable_sort(dearest_first, std::greater(),
                           [&](uint32_t row) { return costs[row]; });
  using Part = std::pair<double, uint32_t>;  // what it costs, its number
  std::priority_queue<Part, std::vector<Part>, std::greater<>> cheapest;
  for (uint32_t part = 0; part < parts; ++part) cheapest.emplace(0, part);
  std::vector<uint64_t> room(parts, costs.size() / parts);
  std::vector<uint32_t> part_of(costs.size());
  for (const uint32_t row : dearest_first) {
    const auto [cost, part] = cheapest.top();
    cheapest.pop();
    part_of[row] = part;
    if (--room[part] > 0) cheapest.emplace(cost + costs[row], part);
  }
  return part_of;
}

}  // namespace

void BalanceRows(const BalanceRule& rule, Assignment& assignment) {
  const std::vector<double> costs = CostsOf(rule, assignment);
  assert(costs.size() % rule.parts == 0);
  const std::vector<uint32_t> part_of = DealToParts(costs, rule.parts);
  std::vector<uint32_t> rows(costs.size());  // in their new order
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, std::less(),
                           [&](uint32_t row) { return part_of[row]; });
  std::vector<Piece> pieces;
  pieces.reserve(assignment.pieces.size());
  std::vector<uint32_t> offsets = {0};
  offsets.reserve(rows.size() + 1);
  for (const uint32_t row : rows) {
    pieces.insert(pieces.end(),
                  assignment.pieces.begin() + assignment.row_offsets[row],
                  assignment.pieces.begin() + assignment.row_offsets[row + 1]);
    offsets.push_back(static_cast<uint32_t>(pieces.size()));
  }
  assignment.pieces = std::move(pieces);
  assignment.row_offsets = std::move(offsets);
}

double DearestPart(const BalanceRule& rule, const Assignment& assignment) {
  const std::vector<double> costs = CostsOf(rule, assignment);
  const size_t rows = costs.size() / rule.parts;
  double dearest = 0;
  double all = 0;
  for (size_t part = 0; part < rule.parts; ++part) {
    const auto begin = costs.begin() + static_cast<std::ptrdiff_t>(part * rows);
    const double cost =
        std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(rows), 0.0);
    dearest = std::max(dearest, cost);
    all += cost;
  }
  return all == 0 ? 1 : dearest * static_cast<double>(rule.parts) / all;
}

}  // namespace penstock
