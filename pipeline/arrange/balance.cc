#include "pipeline/arrange/balance.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace penstock {
namespace {

std::vector<double> CostsOf(const BalanceRule& rule,
                            const Assignment& assignment) {
  const std::span<const Piece> pieces = assignment.pieces;
  std::vector<double> costs;
  costs.reserve(assignment.row_offsets.size());
  for (size_t row = 0; row + 1 < assignment.row_offsets.size(); ++row) {
    const uint32_t begin = assignment.row_offsets[row];
    costs.push_back(rule.CostOf(
        pieces.subspan(begin, assignment.row_offsets[row + 1] - begin)));
  }
  return costs;
}

struct PricedRow {
  double cost = 0;
  uint32_t row = 0;
};

// [rows]: rows in their new order, those of one part after those of another.
std::vector<uint32_t> DealToParts(const std::vector<double>& costs,
                                  uint64_t parts) {
  std::vector<PricedRow> rows;
  rows.reserve(costs.size());
  for (uint32_t row = 0; row < costs.size(); ++row) {
    rows.push_back({costs[row], row});
  }
  std::ranges::sort(rows, [](const PricedRow& a, const PricedRow& b) {
    return a.cost != b.cost ? a.cost > b.cost : a.row < b.row;
  });
  using Part = std::pair<double, uint32_t>;  // what it costs, its number
  std::vector<Part> cheapest;                // a heap
  cheapest.reserve(parts);
  for (uint32_t part = 0; part < parts; ++part) cheapest.emplace_back(0, part);
  const size_t each = costs.size() / parts;
  std::vector<uint32_t> taken(parts);
  std::vector<uint32_t> order(costs.size());
  for (const auto& [cost, row] : rows) {
    std::ranges::pop_heap(cheapest, std::greater());
    Part& least = cheapest.back();
    const uint32_t part = least.second;
    order[part * each + taken[part]] = row;
    if (++taken[part] == each) {
      cheapest.pop_back();
    } else {
      least.first += cost;
      std::ranges::push_heap(cheapest, std::greater());
    }
  }
  for (size_t first = 0; first < order.size(); first += each) {
    const auto begin = order.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, begin + static_cast<std::ptrdiff_t>(each));
  }
  return order;
}

}  // namespace

void BalanceRows(const BalanceRule& rule, Assignment& assignment) {
  const std::vector<double> costs = CostsOf(rule, assignment);
  assert(costs.size() % rule.parts == 0);
  std::vector<Piece> pieces;
  pieces.reserve(assignment.pieces.size());
  std::vector<uint32_t> offsets = {0};
  offsets.reserve(costs.size() + 1);
  for (const uint32_t row : DealToParts(costs, rule.parts)) {
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
