// Rows of an objective, and whether draws are as likely as they should be.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "pipeline/dataset.h"
#include "pipeline/objective.h"
#include "tests/pipeline/build/placed_rows.h"

namespace penstock::testing {

template <typename Objective>
Dataset Learn(Objective objective, int64_t length) {
  return Dataset::TfRecords("a")
      .Parse({{.name = "tokens"}})
      .Objective(std::move(objective))
      .Bucket({.by = "tokens", .lengths = {length}})
      .Batch({.size = 1});
}

// Records of `length` tokens each, none like another.
inline std::vector<std::vector<int64_t>> Records(size_t count, size_t length,
                                                 int64_t first = 1000) {
  std::vector<std::vector<int64_t>> records(count);
  for (auto& record : records) {
    record.resize(length);
    std::iota(record.begin(), record.end(), first);
    first += static_cast<int64_t>(length);
  }
  return records;
}

// Whether `found` of `of` draws with probability `part` is within 4 standard
// deviations. Draws are fixed, so it is so always or never.
inline void ExpectPart(int64_t found, int64_t of, double part) {
  const double mean = static_cast<double>(of) * part;
  EXPECT_NEAR(static_cast<double>(found), mean,
              4 * std::sqrt(mean * (1 - part)));
}

}  // namespace penstock::testing
