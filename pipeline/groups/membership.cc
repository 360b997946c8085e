#include "pipeline/groups/membership.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>
#include <stop_token>
#include <utility>

namespace penstock {
namespace {

using JoinClock = std::chrono::steady_clock;

// The coordinator says which of several causes came first. Where it does not
// answer within this the own one counts.
constexpr std::chrono::seconds kVerdict(2);

}  // namespace

Status Membership::Join(const Connect& connect) {
  const std::chrono::nanoseconds limit(options_.times.join_ns);
  PENSTOCK_ASSIGN_OR_RETURN(link_, connect(*this));
  link_->Send(
      WriteFrame({.kind = FrameKind::kHello,
                  .number = uint64_t{options_.hosts} << 32 | options_.host,
                  .parts = {options_.version, options_.who}}));
  PENSTOCK_ASSIGN_OR_RETURN(
      ticker_, Ticker::Start(BeatPeriodNs(options_.times), [this] { Tick(); }));
  const std::stop_callback stop(options_.stop, [this] {
    const std::lock_guard lock(mutex_);
    FailAll(CancelledError("stopped while it waited for other hosts"));
  });
  std::unique_lock lock(mutex_);
  // The coordinator tells who has not come, so let it speak first.
  const bool answered = changed_.wait_for(
      lock, limit + std::chrono::nanoseconds(options_.times.silence_ns),
      [&] { return welcome_ || !channels_[0].failed.ok(); });
  // `lock` goes before `stop`, whose callback may wait for it.
  // What failed since then ends what is done next.
  if (welcome_) return OkStatus();
  if (!channels_[0].failed.ok()) return channels_[0].failed;
  if (!answered) {
    return UnavailableError(
        fmt::format("{} does not answer within {:.3g} s", Coordinator(),
                    std::chrono::duration<double>(limit).count()));
  }
  return OkStatus();
}

StatusOr<std::vector<std::string>> Membership::Meet(
    uint8_t number, FrameKind call, std::vector<std::string> parts) {
  if (is_forked()) {
    return FailedPreconditionError(
        "this process was forked off one that had joined a group: join after "
        "the fork");
  }
  std::unique_lock lock(mutex_);
  Channel& channel = channels_[number];
  if (channel.failed.ok() && channel.asked.ok()) {
    ++channel.round;
    channel.taken.reset();
    Frame frame = {.kind = call,
                   .channel = number,
                   .number = channel.round,
                   .parts = std::move(parts)};
    lock.unlock();
    std::string bytes = WriteFrame(frame);
    frame.parts.clear();
    link_->Send(std::move(bytes));
    lock.lock();
    changed_.wait(lock, [&] {
      return channel.taken || !channel.failed.ok() || !channel.asked.ok();
    });
    if (channel.taken) return *std::exchange(channel.taken, std::nullopt);
  }
  changed_.wait_until(lock, channel.verdict,
                      [&] { return channel.taken || !channel.failed.ok(); });
  // A round that every host has entered is whole.
  if (channel.taken) return *std::exchange(channel.taken, std::nullopt);
  channel.failed.Update(channel.asked);
  return channel.failed;
}

void Membership::Fail(uint8_t number, const Status& why) {
  assert(!why.ok());
  if (is_forked()) return;
  {
    const std::lock_guard lock(mutex_);
    if (!Ask(number, why)) return;
  }
  link_->Send(WriteFrame(FrameOfStatus(FrameKind::kFail, number, why)));
}

// Whether the coordinator must be told.
bool Membership::Ask(uint8_t number, const Status& why) {
  Channel& channel = channels_[number];
  if (!channel.failed.ok() || !channel.asked.ok()) return false;
  channel.asked = why;
  channel.verdict = JoinClock::now() + kVerdict;
  changed_.notify_all();
  return true;
}

Status Membership::failed(uint8_t number) {
  std::unique_lock lock(mutex_);
  Channel& channel = channels_[number];
  if (channel.failed.ok() && !channel.asked.ok()) {
    changed_.wait_until(lock, channel.verdict,
                        [&] { return !channel.failed.ok(); });
    channel.failed.Update(channel.asked);
  }
  return channel.failed;
}

void Membership::Beat(uint8_t number, std::string_view report) {
  if (is_forked()) return;
  Frame frame = {.kind = FrameKind::kBeat,
                 .channel = number,
                 .parts = {std::string(report)}};
  {
    const std::lock_guard lock(mutex_);
    frame.number = ++channels_[number].beats;
    channels_[number].report = report;
  }
  link_->Send(WriteFrame(frame));
}

std::vector<HostPulse> Membership::Pulses(uint8_t number) {
  const std::lock_guard lock(mutex_);
  Channel& channel = channels_[number];
  std::vector<HostPulse> pulses = channel.pulses;
  pulses[options_.host] = {channel.beats, channel.report};
  return pulses;
}

void Membership::Leave(uint8_t number) {
  if (is_forked()) return;
  link_->Send(WriteFrame({.kind = FrameKind::kLeave, .channel = number}));
}

void Membership::OnFrame(std::string bytes) {
  StatusOr<Frame> frame = ReadFrame(bytes);
  const std::lock_guard lock(mutex_);
  heard_ = JoinClock::now();
  if (!frame.ok() || frame->channel >= channels_.size()) {
    FailAll(InternalError("the coordinator sends what is no frame"));
  } else {
    Channel& channel = channels_[frame->channel];
    switch (frame->kind) {
      case FrameKind::kWelcome:
        welcome_ = true;
        break;
      case FrameKind::kTaken:
        // Not where the wait for it was given up.
        if (frame->number == channel.round && channel.failed.ok()) {
          channel.taken = std::move(frame->parts);
        }
        break;
      case FrameKind::kFailed:
        channel.failed.Update(StatusOfFrame(*frame));
        break;
      case FrameKind::kBeats:
        for (size_t i = 0; i < frame->parts.size(); ++i) {
          const std::string& part = frame->parts[i];
          uint64_t beats = 0;
          if (i >= channel.pulses.size() || part.size() < sizeof(beats)) break;
          std::memcpy(&beats, part.data(), sizeof(beats));
          channel.pulses[i] = {beats, part.substr(sizeof(beats))};
        }
        break;
      default:
        FailAll(InternalError("the coordinator speaks as a host does"));
    }
  }
  changed_.notify_all();
}

void Membership::OnBroken(std::string_view why) {
  const std::lock_guard lock(mutex_);
  // Others do not wait for one that stood still.
  if (StoodStill(JoinClock::now())) {
    FailAll(SilentHostError(options_.host, options_.who, options_.times));
  }
  FailAll(UnavailableError(fmt::format(
      "{} died or left: the connection to it ended", Coordinator())));
}

bool Membership::StoodStill(JoinClock::time_point now) const {
  return stood_still_ ||
         now - ticked_ > std::chrono::nanoseconds(options_.times.silence_ns);
}

void Membership::FailAll(const Status& why) {
  for (Channel& channel : channels_) channel.failed.Update(why);
  changed_.notify_all();
}

// What this host finds by itself others may have found too, or not: the
// coordinator decides.
void Membership::Tick() {
  const auto limit = std::chrono::nanoseconds(options_.times.silence_ns);
  std::vector<std::string> frames;
  {
    const std::lock_guard lock(mutex_);
    const auto now = JoinClock::now();
    stood_still_ = StoodStill(now);
    ticked_ = now;
    Status silent;
    if (stood_still_) {
      silent = SilentHostError(options_.host, options_.who, options_.times);
    } else if (welcome_ && now - heard_ > limit) {
      silent = SilentHostError(0, options_.coordinator, options_.times);
    }
    for (uint8_t c = 0; c < channels_.size(); ++c) {
      if (!silent.ok() && Ask(c, silent)) {
        frames.push_back(
            WriteFrame(FrameOfStatus(FrameKind::kFail, c, silent)));
      }
      frames.push_back(WriteFrame({.kind = FrameKind::kBeat,
                                   .channel = c,
                                   .number = channels_[c].beats,
                                   .parts = {channels_[c].report}}));
    }
  }
  for (std::string& frame : frames) link_->Send(std::move(frame));
}

}  // namespace penstock
