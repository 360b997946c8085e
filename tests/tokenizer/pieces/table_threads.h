// Threads that share a table of what is remembered.
#pragma once

#include <atomic>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

#include "tokenizer/pieces/inserter.h"
#include "tokenizer/pieces/readers.h"

namespace penstock::testing {

// Four threads look for `count` numbers each, as those of a tokenizer do, which
// make room between batches: half of them of 1,000 that all look for, half of
// their own, which come once, below 4 * count. knew(by, number) says whether
// the table has it; it is remembered from then on. Returns how many it had.
template <typename Table, typename Knew>
size_t KnownToFourThreads(Readers& readers, Table& table, size_t count,
                          const Knew& knew) {
  constexpr size_t kThreads = 4;
  constexpr size_t kBatch = 100;
  std::atomic<size_t> known = 0;
  {
    std::vector<std::jthread> threads;
    for (size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Readers::Reader self(readers);
        Inserter by(self);
        std::mt19937 random(t);
        for (size_t n = 0; n < count; n += kBatch) {
          if (table.WantsRoom()) table.MakeRoom();
          self.Enter();
          for (size_t k = 0; k < kBatch; ++k) {
            const size_t number =
                k % 2 == 0 ? random() % 1000 : (n + k) * kThreads + t;
            known += knew(by, number) ? 1 : 0;
          }
          self.Leave();
        }
      });
    }
  }
  return known;
}

}  // namespace penstock::testing
