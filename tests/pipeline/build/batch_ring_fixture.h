// Rings of batches that tests build.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <memory>
#include <new>
#include <utility>

#include "pipeline/build/batch_ring.h"

namespace penstock::testing {

// A batch of `parts` parts, each of which runs `build`.
class FakeWork final : public BatchWork {
 public:
  using Build = std::function<StatusOr<bool>(size_t part, bool alone)>;
  FakeWork(size_t parts, Build build)
      : parts_(parts), build_(std::move(build)) {}

  size_t parts() const override { return parts_; }
  Status Begin() override {
    ++begun;
    if (throws) throw std::bad_alloc();
    return begin;
  }
  StatusOr<bool> BuildPart(size_t part, bool alone) override {
    return build_(part, alone);
  }

  Status begin;                // what Begin() returns
  std::atomic<int> begun = 0;  // how often it was called
  bool throws = false;         // what Begin() does instead

 private:
  const size_t parts_;
  const Build build_;
};

class BatchRingTest : public ::testing::Test {
 protected:
  static std::shared_ptr<FakeWork> Work(FakeWork::Build build,
                                        size_t parts = 1) {
    return std::make_shared<FakeWork>(parts, std::move(build));
  }
  static std::shared_ptr<BatchWork> Numbered(uint64_t step) {
    auto work = Work([](size_t, bool) { return true; });
    work->batch.step = step;
    return work;
  }

  static std::unique_ptr<TaskQueue> Threads(int count) {
    auto queue = TaskQueue::Create(count);
    EXPECT_TRUE(queue.ok());
    return *std::move(queue);
  }

  Lane lane_;
  const std::unique_ptr<TaskQueue> tasks_ = Threads(4);
};

}  // namespace penstock::testing
