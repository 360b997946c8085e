#include "pipeline/groups/joined_group.h"

#include <cassert>
#include <utility>

#include "pipeline/groups/membership.h"

namespace penstock {
namespace {

// Leaves its channel when it goes; the last takes the link with it.
class JoinedEnd final : public Group {
 public:
  JoinedEnd(std::shared_ptr<Membership> member, uint8_t channel)
      : member_(std::move(member)), channel_(channel) {}
  ~JoinedEnd() override {
    member_->Leave(channel_);
    // The threads that the link would wait for are in another process.
    if (member_->is_forked()) new std::shared_ptr<Membership>(member_);
  }

  uint32_t hosts() const override { return member_->options().hosts; }
  uint32_t host() const override { return member_->options().host; }

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

 private:
  const std::shared_ptr<Membership> member_;
  const uint8_t channel_;
};

}  // namespace

StatusOr<std::vector<std::unique_ptr<Group>>> JoinMeeting(
    const Connect& connect, JoinOptions options) {
  const auto member = std::make_shared<Membership>(std::move(options));
  PENSTOCK_RETURN_IF_ERROR(member->Join(connect));
  std::vector<std::unique_ptr<Group>> ends;
  for (uint8_t c = 0; c < member->options().channels; ++c) {
    ends.push_back(std::make_unique<JoinedEnd>(member, c));
  }
  return ends;
}

}  // namespace penstock
