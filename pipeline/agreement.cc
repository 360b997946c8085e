#include "pipeline/agreement.h"

#include <atomic>

namespace penstock {
namespace {

class Solo final : public Agreement {
 public:
  StatusOr<std::vector<std::vector<uint32_t>>> AllGather(
      std::span<const uint32_t> mine) override {
    if (cancelled_.load(std::memory_order_acquire)) {
      return CancelledError("the group of hosts was cancelled");
    }
    return std::vector<std::vector<uint32_t>>{
        std::vector<uint32_t>(mine.begin(), mine.end())};
  }

  void Cancel() override { cancelled_.store(true, std::memory_order_release); }

 private:
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

std::unique_ptr<Agreement> SoloAgreement() { return std::make_unique<Solo>(); }

}  // namespace penstock
