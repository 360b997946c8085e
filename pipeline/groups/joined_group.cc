#include "pipeline/groups/joined_group.h"

#include <utility>

#include "pipeline/groups/member_end.h"
#include "pipeline/groups/membership.h"

namespace penstock {
namespace {

class JoinedEnd final : public MemberEnd<Membership> {
 public:
  using MemberEnd::MemberEnd;
  ~JoinedEnd() override {
    // The threads that the link would wait for are in another process.
    if (member()->is_forked()) new std::shared_ptr<Membership>(member());
  }
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
