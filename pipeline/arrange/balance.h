// Rows of a batch placed so that its parts cost about the same.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/arrange/rows.h"

namespace penstock {

struct BalanceRule {
  uint64_t parts = 1;  // of a batch, equal; divides its rows
  // What a row costs: for each piece of L values, linear L + quadratic L^2.
  double linear = 1;
  double quadratic = 0;

  double CostOf(std::span<const Piece> pieces) const {
    double cost = 0;
    for (const Piece& piece : pieces) {
      const auto length = static_cast<double>(piece.length);
      cost += linear * length + quadratic * length * length;
    }
    return cost;
  }
};

// Gives the rows of `assignment` other places. Dear rows go first, each to the
// part that costs least so far and is not full; rows of a part keep their
// order. Parts that follow each other are about level together, too, so that it
// does for any number of devices that divides `parts`.
//
// Cost:  O(rows log rows), about 100 ns a row.
void BalanceRows(const BalanceRule& rule, Assignment& assignment);

// What the dearest part costs over the mean: 1 is level.
double DearestPart(const BalanceRule& rule, const Assignment& assignment);

}  // namespace penstock
