#include "tests/pipeline/groups/met_groups.h"

#include <gtest/gtest.h>

#include <thread>
#include <utility>

#include "pipeline/groups/local_link.h"
#include "pipeline/groups/meeting.h"

namespace penstock::testing {
namespace {

// A link with a cable; keeps the meeting.
class CableLink final : public Link, public LinkListener {
 public:
  CableLink(std::shared_ptr<Meeting> meeting, std::shared_ptr<Cable> cable,
            LinkListener& listener)
      : meeting_(std::move(meeting)),
        cable_(std::move(cable)),
        listener_(listener),
        link_(*ConnectWithin(*meeting_)(*this)) {}

  void Send(std::string frame) override {
    if (!cable_->silent) link_->Send(std::move(frame));
  }
  void OnFrame(std::string frame) override {
    if (!cable_->silent) listener_.OnFrame(std::move(frame));
  }
  void OnBroken(std::string_view why) override { listener_.OnBroken(why); }

 private:
  const std::shared_ptr<Meeting> meeting_;
  const std::shared_ptr<Cable> cable_;
  LinkListener& listener_;
  std::unique_ptr<Link> link_;
};

}  // namespace

std::vector<StatusOr<Ends>> JoinAll(
    uint32_t hosts, const std::function<StatusOr<Ends>(uint32_t)>& join) {
  std::vector<StatusOr<Ends>> joined;
  for (uint32_t host = 0; host < hosts; ++host) {
    joined.emplace_back(UnknownError("did not join"));
  }
  std::vector<std::thread> threads;
  for (uint32_t host = 0; host < hosts; ++host) {
    threads.emplace_back([&, host] { joined[host] = join(host); });
  }
  for (std::thread& thread : threads) thread.join();
  return joined;
}

Ends FirstEnds(std::vector<StatusOr<Ends>> joined) {
  Ends ends;
  for (StatusOr<Ends>& one : joined) {
    EXPECT_TRUE(one.ok()) << one.status();
    if (one.ok()) ends.push_back(std::move(one->front()));
  }
  return ends;
}

MetHosts MeetAll(const MetOptions& options) {
  const std::shared_ptr<Meeting> meeting =
      *Meeting::Start({.hosts = options.hosts,
                       .channels = 2,
                       .version = "1",
                       .who = "here",
                       .times = options.times});
  MetHosts met;
  for (uint32_t host = 0; host < options.hosts; ++host) {
    met.cables.push_back(std::make_shared<Cable>());
  }
  met.ends = JoinAll(options.hosts, [&](uint32_t host) {
    JoinOptions join = {.hosts = options.hosts,
                        .host = host,
                        .channels = 2,
                        .version = "1",
                        .who = host == 0 ? "here" : std::to_string(100 + host),
                        .coordinator = "here",
                        .times = options.times};
    if (options.change) options.change(join);
    return JoinMeeting(
        [&](LinkListener& listener) -> StatusOr<std::unique_ptr<Link>> {
          return std::make_unique<CableLink>(meeting, met.cables[host],
                                             listener);
        },
        join);
  });
  return met;
}

Ends MetGroup(uint32_t hosts) {
  return FirstEnds(MeetAll({.hosts = hosts}).ends);
}

}  // namespace penstock::testing
