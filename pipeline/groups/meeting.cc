#include "pipeline/groups/meeting.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "pipeline/groups/host_words.h"
#include "pipeline/tasks/steady_ns.h"

namespace penstock {

// One connection; who it is, is known once it has said so.
class Meeting::Guest final : public LinkListener {
 public:
  Guest(Meeting& meeting, Link& link) : meeting_(meeting), link(&link) {}

  void OnFrame(std::string frame) override { meeting_.Hear(*this, frame); }
  void OnBroken(std::string_view why) override { meeting_.Lose(*this, why); }

 private:
  Meeting& meeting_;

 public:
  Link* const link;
  std::optional<uint32_t> host;
};

Meeting::Meeting(MeetingOptions options)
    : options_(std::move(options)),
      begin_ns_(SteadyNs()),
      hosts_(options_.hosts),
      channels_(options_.channels),
      ticked_ns_(begin_ns_) {
  for (Channel& channel : channels_) {
    channel.brought.resize(options_.hosts);
    channel.has_brought.resize(options_.hosts);
    channel.left.resize(options_.hosts);
    channel.pulses.resize(options_.hosts);
  }
}

StatusOr<std::unique_ptr<Meeting>> Meeting::Start(MeetingOptions options) {
  std::unique_ptr<Meeting> meeting(new Meeting(std::move(options)));
  const HostTimes& times = meeting->options_.times;
  PENSTOCK_ASSIGN_OR_RETURN(
      meeting->ticker_,
      Ticker::Start(std::min(BeatPeriodNs(times), times.join_ns / 4),
                    [m = meeting.get()] { m->Tick(); }));
  return meeting;
}

std::unique_ptr<LinkListener> Meeting::Receive(Link& link) {
  return std::make_unique<Guest>(*this, link);
}

void Meeting::AwaitOthersLeft() {
  std::unique_lock lock(mutex_);
  left_.wait_for(lock, std::chrono::nanoseconds(options_.times.leave_ns), [&] {
    return std::all_of(hosts_.begin() + 1, hosts_.end(),
                       [](const Host& h) { return h.left || h.dead; });
  });
}

void Meeting::Hear(Guest& guest, std::string_view bytes) {
  StatusOr<Frame> frame = ReadFrame(bytes);
  const std::lock_guard lock(mutex_);
  if (!guest.host) {
    // Anyone may connect; who does not speak as a host is none.
    if (frame.ok() && frame->kind == FrameKind::kHello &&
        frame->parts.size() >= 2) {
      Hello(guest, *frame);
    }
    return;
  }
  if (!frame.ok()) return FailAll(frame.status());
  const uint32_t host = *guest.host;
  hosts_[host].heard_ns = SteadyNs();
  if (frame->channel >= channels_.size()) {
    return FailAll(InternalError("a host speaks of a channel that is not"));
  }
  const uint8_t number = frame->channel;
  Channel& channel = channels_[number];
  switch (frame->kind) {
    case FrameKind::kGather:
    case FrameKind::kExchange:
      return Bring(host, channel, number, *std::move(frame));
    case FrameKind::kFail:
      return Fail(channel, number, StatusOfFrame(*frame));
    case FrameKind::kBeat:
      channel.pulses[host] = {
          .beats = frame->number,
          .report = frame->parts.empty() ? std::string() : frame->parts[0]};
      channel.pulses_are_new = true;
      return;
    case FrameKind::kLeave:
      return Leave(host, channel, number);
    default:
      FailAll(InternalError("a host speaks as the coordinator does"));
  }
}

std::string Meeting::Unfit(uint32_t host, const Frame& hello) const {
  const auto hosts = static_cast<uint32_t>(hello.number >> 32);
  const std::string who = NameOfHost(host, hello.parts[1]);
  if (hello.parts[0] != options_.version) {
    return fmt::format("{} runs version {}, host 0 version {}", who,
                       hello.parts[0], options_.version);
  }
  if (hosts != options_.hosts) {
    return fmt::format("{} was told of {} hosts, host 0 of {}", who, hosts,
                       options_.hosts);
  }
  if (host >= options_.hosts) {
    return fmt::format("{} is none of the {} hosts, which count from 0", who,
                       options_.hosts);
  }
  if (hosts_[host].here) {
    return fmt::format("two processes say that they are host {}: {} and {}",
                       host, hosts_[host].who, hello.parts[1]);
  }
  return {};
}

void Meeting::Hello(Guest& guest, const Frame& frame) {
  const auto number = static_cast<uint32_t>(frame.number);
  const std::string unfit = Unfit(number, frame);
  if (!unfit.empty()) FailAll(FailedPreconditionError(unfit));
  // Whoever comes late hears why it came in vain.
  for (uint8_t c = 0; c < channels_.size(); ++c) {
    if (channels_[c].failed.ok()) continue;
    guest.link->Send(
        WriteFrame(FrameOfStatus(FrameKind::kFailed, c, channels_[c].failed)));
  }
  if (!unfit.empty()) {
    if (number < options_.hosts && !hosts_[number].here) {
      hosts_[number].dead = true;
    }
    return;
  }
  guest.host = number;
  Host& host = hosts_[number];
  host = {.link = guest.link,
          .who = frame.parts[1],
          .heard_ns = SteadyNs(),
          .here = true};
  if (++came_ == options_.hosts) {
    SendAll(WriteFrame({.kind = FrameKind::kWelcome}));
  }
}

void Meeting::Bring(uint32_t host, Channel& channel, uint8_t number,
                    Frame frame) {
  if (!channel.failed.ok()) return;  // it hears of that
  const bool first = channel.arrived == 0;
  const size_t parts = frame.kind == FrameKind::kGather ? 1 : options_.hosts;
  if (frame.number != channel.round || channel.has_brought[host] ||
      frame.parts.size() != parts || (!first && frame.kind != channel.call)) {
    return Fail(channel, number,
                InternalError("hosts of a group make different calls"));
  }
  channel.call = frame.kind;
  channel.brought[host] = std::move(frame.parts);
  channel.has_brought[host] = true;
  ++channel.arrived;
  EndRound(channel, number);
}

// If all have brought; fails where one never will.
void Meeting::EndRound(Channel& channel, uint8_t number) {
  if (channel.arrived == 0 || !channel.failed.ok()) return;
  for (uint32_t host = 0; host < options_.hosts; ++host) {
    if (channel.has_brought[host] || !channel.left[host]) continue;
    return Fail(
        channel, number,
        UnavailableError(fmt::format("{} left before the end of the run",
                                     NameOfHost(host, hosts_[host].who))));
  }
  if (channel.arrived < options_.hosts) return;
  // Who waited for a round knows what was told before it.
  if (channel.pulses_are_new) TellPulses(channel, number);
  Frame taken = {.kind = FrameKind::kTaken,
                 .channel = number,
                 .number = channel.round,
                 .parts = std::vector<std::string>(options_.hosts)};
  if (channel.call == FrameKind::kGather) {
    for (uint32_t from = 0; from < options_.hosts; ++from) {
      taken.parts[from] = std::move(channel.brought[from][0]);
    }
    SendAll(WriteFrame(taken));
  } else {
    for (uint32_t to = 0; to < options_.hosts; ++to) {
      for (uint32_t from = 0; from < options_.hosts; ++from) {
        taken.parts[from] = std::move(channel.brought[from][to]);
      }
      if (hosts_[to].link != nullptr) hosts_[to].link->Send(WriteFrame(taken));
    }
  }
  channel.arrived = 0;
  channel.has_brought.assign(options_.hosts, false);
  ++channel.round;
}

void Meeting::Leave(uint32_t host, Channel& channel, uint8_t number) {
  channel.left[host] = true;
  hosts_[host].left = std::ranges::all_of(
      channels_, [&](const Channel& c) { return c.left[host]; });
  EndRound(channel, number);
  left_.notify_all();
}

void Meeting::Lose(Guest& guest, std::string_view why) {
  const std::lock_guard lock(mutex_);
  if (!guest.host) return;
  Host& host = hosts_[*guest.host];
  host.link = nullptr;
  if (!host.left) {
    host.dead = true;
    // Others do not wait for a process that stood still.
    if (StoodStill(SteadyNs())) {
      FailAll(SilentHostError(0, options_.who, options_.times));
    }
    FailAll(UnavailableError(fmt::format("{} died: its connection ended{}{}",
                                         NameOfHost(*guest.host, host.who),
                                         why.empty() ? "" : ", ", why)));
  }
  left_.notify_all();
}

bool Meeting::StoodStill(int64_t now_ns) const {
  return now_ns - ticked_ns_ > options_.times.silence_ns;
}

void Meeting::Tick() {
  const std::lock_guard lock(mutex_);
  const HostTimes& times = options_.times;
  const int64_t now_ns = SteadyNs();
  // Others look silent to a process that stood still itself.
  if (StoodStill(now_ns)) FailAll(SilentHostError(0, options_.who, times));
  ticked_ns_ = now_ns;
  if (came_ < options_.hosts && now_ns - begin_ns_ > times.join_ns) {
    std::string missing;
    for (uint32_t host = 0; host < options_.hosts; ++host) {
      if (hosts_[host].here) continue;
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", host);
    }
    FailAll(DeadlineExceededError(fmt::format(
        "of {} hosts these have not come within {:.3g} s: {}", options_.hosts,
        static_cast<double>(times.join_ns) * 1e-9, missing)));
  }
  for (uint32_t host = 1; host < options_.hosts; ++host) {
    const Host& h = hosts_[host];
    if (!h.here || h.left || h.dead) continue;
    if (now_ns - h.heard_ns > times.silence_ns) Silent(host);
  }
  for (uint8_t c = 0; c < channels_.size(); ++c) TellPulses(channels_[c], c);
}

void Meeting::Silent(uint32_t host) {
  hosts_[host].dead = true;
  FailAll(SilentHostError(host, hosts_[host].who, options_.times));
  left_.notify_all();
}

void Meeting::Fail(Channel& channel, uint8_t number, const Status& why) {
  if (!channel.failed.ok()) return;
  channel.failed = why;
  SendAll(WriteFrame(FrameOfStatus(FrameKind::kFailed, number, why)));
}

void Meeting::FailAll(const Status& why) {
  for (uint8_t c = 0; c < channels_.size(); ++c) Fail(channels_[c], c, why);
}

void Meeting::TellPulses(Channel& channel, uint8_t number) {
  Frame frame = {.kind = FrameKind::kBeats, .channel = number};
  for (const HostPulse& pulse : channel.pulses) {
    std::string part(sizeof(pulse.beats), '\0');
    std::memcpy(part.data(), &pulse.beats, sizeof(pulse.beats));
    frame.parts.push_back(part + pulse.report);
  }
  SendAll(WriteFrame(frame));
  channel.pulses_are_new = false;
}

void Meeting::SendAll(const std::string& frame) {
  for (const Host& host : hosts_) {
    if (host.link != nullptr) host.link->Send(frame);
  }
}

}  // namespace penstock
