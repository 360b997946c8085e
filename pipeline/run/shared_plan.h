// The steps of a plan, made once for all hosts that are threads of one process.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "formats/files/status_or.h"
#include "pipeline/arrange/plan.h"

namespace penstock {

// Keeps the last steps that were made, for hosts that come later.
//
// Threads: any number at a time.
class SharedPlan {
 public:
  // Keeps `window` steps, 1 at least. `owner` keeps what `plan` refers to.
  SharedPlan(Plan plan, std::shared_ptr<const void> owner, size_t window);

  struct Taken {
    // Null at the end of the run, and where the step is kept no more.
    std::shared_ptr<const Step> step = nullptr;
    std::optional<PipelineCounts> at_end = {};
  };
  // Step `number`, counted from where the plan begins; a host takes one after
  // the other. Makes it, or waits while another host does.
  // Errors:  those of Plan::Next(), to all hosts but for kCancelled, which is
  //          of the host whose `stop` was requested.
  StatusOr<Taken> Take(uint64_t number, const std::stop_token& stop);

 private:
  uint64_t end() const { return begin_ + steps_.size(); }
  void Keep(std::shared_ptr<const Step> step);

  const std::shared_ptr<const void> owner_;
  const size_t window_;
  Plan plan_;  // of whoever is making_

  std::mutex mutex_;
  std::condition_variable_any made_;
  std::deque<std::shared_ptr<const Step>> steps_;
  uint64_t begin_ = 0;  // the number of the first of them
  bool making_ = false;
  bool broken_ = false;  // memory ended while a step was made
  Status failed_;
  std::optional<PipelineCounts> at_end_;
};

}  // namespace penstock
