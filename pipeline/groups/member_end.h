// One channel's end of what a host shares with the others.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/group.h"
#include "pipeline/groups/frame.h"

namespace penstock {

// `Member` is what the ends share: Membership or MpiMembership. Leaves its
// channel when it goes; the last takes the member with it.
template <typename Member>
class MemberEnd : public Group {
 public:
  MemberEnd(std::shared_ptr<Member> member, uint8_t channel)
      : member_(std::move(member)), channel_(channel) {}
  ~MemberEnd() override { member_->Leave(channel_); }

  uint32_t hosts() const override { return member_->hosts(); }
  uint32_t host() const override { return member_->host(); }

  StatusOr<std::vector<std::string>> AllGather(std::string_view mine) override {
    return member_->Meet(channel_, FrameKind::kGather, {std::string(mine)});
  }
  StatusOr<std::vector<std::string>> Exchange(
      std::vector<std::string> to) override {
    assert(to.size() == hosts());
    return member_->Meet(channel_, FrameKind::kExchange, std::move(to));
  }

  void Fail(const Status& why) override { member_->Fail(channel_, why); }
  Status failed() const override { return member_->failed(channel_); }
  void Beat(std::string_view report) override {
    member_->Beat(channel_, report);
  }
  std::vector<HostPulse> Pulses() const override {
    return member_->Pulses(channel_);
  }

 protected:
  const std::shared_ptr<Member>& member() const { return member_; }

 private:
  const std::shared_ptr<Member> member_;
  const uint8_t channel_;
};

}  // namespace penstock
