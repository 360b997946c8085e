#include "pipeline/groups/mpi_membership.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

namespace penstock {
namespace {

using MpiClock = std::chrono::steady_clock;

// As long as a host waits to hear which of several causes came first.
constexpr std::chrono::seconds kMpiVerdict(2);
constexpr std::chrono::microseconds kIdle(1000);

}  // namespace

void MpiMembership::Drive() {
  std::unique_lock lock(mutex_);
  while (true) {
    Hear();
    bool ended = true;
    bool busy = false;
    for (size_t c = 0; c < channels_.size(); ++c) {
      busy = DriveOne(channels_[c], static_cast<int>(c)) || busy;
      ended = ended && channels_[c].ended;
    }
    if (ended) break;
    if (busy) {
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    } else {
      changed_.wait_for(lock, kIdle);
    }
  }
  lock.unlock();
  HearRest();
  MPI_Waitall(static_cast<int>(pokes_.size()), pokes_.data(),
              MPI_STATUSES_IGNORE);
}

// Hosts end together, but a poke may still be on its way. It would be heard in
// the next group, whose communicators may have the numbers of these.
void MpiMembership::HearRest() {
  uint32_t sent = 0;  // to each of the others
  for (const Channel& channel : channels_) sent += channel.poked ? 1 : 0;
  std::vector<uint32_t> all(hosts_);
  MPI_Allgather(&sent, sizeof(sent), MPI_BYTE, all.data(), sizeof(sent),
                MPI_BYTE, control_);
  for (uint32_t h = 0; h < hosts_; ++h) {
    if (h == host_) continue;
    for (; heard_[h] < all[h]; ++heard_[h]) {
      char nothing = 0;
      MPI_Recv(&nothing, 1, MPI_BYTE, static_cast<int>(h), MPI_ANY_TAG,
               control_, MPI_STATUS_IGNORE);
    }
  }
}

// True while a round is under way.
bool MpiMembership::DriveOne(Channel& channel, int number) {
  if (channel.ended) return false;
  if (!channel.asked.ok() && !channel.poked) {
    channel.poked = true;
    Poke(number);
  }
  if (!channel.rounds.is_under_way()) {
    const bool wants =
        channel.to || !channel.asked.ok() || channel.heard || channel.leaving;
    if (!wants) return false;
    Begin(channel);
  }
  if (channel.rounds.is_under_way() && channel.rounds.Advance()) End(channel);
  return true;
}

void MpiMembership::Begin(Channel& channel) {
  Part part = Part::kCall;
  std::vector<std::string> to(hosts_);
  if (!channel.asked.ok()) {
    part = Part::kFailing;
    to.assign(hosts_,
              WriteFrame(FrameOfStatus(FrameKind::kFail, 0, channel.asked)));
  } else if (channel.heard) {
    part = Part::kHeard;
  } else if (channel.leaving) {
    part = Part::kLeaving;
  } else {
    // What was told before a round is known after it.
    const HostPulse& pulse = channel.pulses[host_];
    for (size_t h = 0; h < to.size(); ++h) {
      to[h] =
          WriteFrame({.kind = FrameKind::kBeat,
                      .number = pulse.beats,
                      .parts = {pulse.report, std::move((*channel.to)[h])}});
    }
    channel.to->clear();
  }
  const Status begun =
      channel.rounds.Begin(part, static_cast<uint32_t>(channel.call), to);
  if (!begun.ok()) channel.asked.Update(begun);
}

void MpiMembership::End(Channel& channel) {
  const std::vector<RoundHead>& heads = channel.rounds.heads();
  std::vector<std::string> brought = channel.rounds.TakeBrought();
  const auto first = [&](Part part) {
    size_t h = 0;
    while (h < heads.size() && heads[h].part != static_cast<uint32_t>(part)) {
      ++h;
    }
    return h;
  };
  const size_t failing = first(Part::kFailing);
  const size_t leaving = first(Part::kLeaving);
  const auto here = [&](size_t h) { return h < heads.size(); };
  if (here(failing)) {
    const StatusOr<Frame> frame = ReadFrame(brought[failing]);
    channel.failed = frame.ok() ? StatusOfFrame(*frame) : frame.status();
  } else if (here(leaving)) {
    const bool all = !here(first(Part::kCall)) && !here(first(Part::kHeard));
    if (!all) {
      channel.failed = UnavailableError(
          fmt::format("host {} left before the end of the run", leaving));
    }
    channel.ended = all;
  } else if (here(first(Part::kHeard))) {
    channel.heard = true;  // the next round tells of what
  } else {
    std::vector<std::string> taken(hosts_);
    for (size_t h = 0; h < heads.size(); ++h) {
      StatusOr<Frame> frame = ReadFrame(brought[h]);
      if (heads[h].call != heads[0].call || !frame.ok() ||
          frame->parts.size() != 2) {
        channel.failed = InternalError("hosts of a group make different calls");
        break;
      }
      if (h != host_) channel.pulses[h] = {frame->number, frame->parts[0]};
      taken[h] = std::move(frame->parts[1]);
    }
    if (channel.failed.ok()) channel.taken = std::move(taken);
    channel.to.reset();
  }
  channel.ended = channel.ended || !channel.failed.ok();
  changed_.notify_all();
}

// Others say that a channel fails.
void MpiMembership::Hear() {
  int found = 0;
  MPI_Status status;
  while (true) {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, control_, &found, &status);
    if (found == 0) return;
    char nothing = 0;
    MPI_Recv(&nothing, 1, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, control_,
             MPI_STATUS_IGNORE);
    ++heard_[static_cast<size_t>(status.MPI_SOURCE)];
    channels_[static_cast<size_t>(status.MPI_TAG)].heard = true;
  }
}

void MpiMembership::Poke(int number) {
  static const char nothing = 0;
  for (uint32_t h = 0; h < hosts_; ++h) {
    if (h == host_) continue;
    MPI_Isend(&nothing, 1, MPI_BYTE, static_cast<int>(h), number, control_,
              &pokes_.emplace_back());
  }
}

StatusOr<std::vector<std::string>> MpiMembership::Meet(
    uint8_t number, FrameKind call, std::vector<std::string> parts) {
  if (call == FrameKind::kGather) {
    const std::string mine = std::move(parts.front());
    parts.assign(hosts_, mine);
  }
  std::unique_lock lock(mutex_);
  Channel& channel = channels_[number];
  if (channel.failed.ok() && channel.asked.ok()) {
    channel.taken.reset();
    channel.call = call;
    channel.to = std::move(parts);
    changed_.notify_all();
    changed_.wait(lock, [&] {
      return channel.taken || !channel.failed.ok() || !channel.asked.ok();
    });
  }
  if (!channel.taken) {
    changed_.wait_until(lock, channel.verdict,
                        [&] { return channel.taken || !channel.failed.ok(); });
  }
  // A round that every host has entered is whole.
  if (channel.taken) return *std::exchange(channel.taken, std::nullopt);
  return channel.failed.ok() ? channel.asked : channel.failed;
}

void MpiMembership::Fail(uint8_t number, const Status& why) {
  assert(!why.ok());
  const std::lock_guard lock(mutex_);
  Channel& channel = channels_[number];
  if (!channel.failed.ok() || !channel.asked.ok() || channel.ended) return;
  channel.asked = why;
  channel.verdict = MpiClock::now() + kMpiVerdict;
  changed_.notify_all();
}

Status MpiMembership::failed(uint8_t number) {
  std::unique_lock lock(mutex_);
  Channel& channel = channels_[number];
  if (channel.failed.ok() && !channel.asked.ok()) {
    changed_.wait_until(lock, channel.verdict,
                        [&] { return !channel.failed.ok(); });
  }
  return channel.failed.ok() ? channel.asked : channel.failed;
}

void MpiMembership::Beat(uint8_t number, std::string_view report) {
  const std::lock_guard lock(mutex_);
  HostPulse& mine = channels_[number].pulses[host_];
  ++mine.beats;
  mine.report = report;
}

std::vector<HostPulse> MpiMembership::Pulses(uint8_t number) {
  const std::lock_guard lock(mutex_);
  return channels_[number].pulses;
}

void MpiMembership::Leave(uint8_t number) {
  const std::lock_guard lock(mutex_);
  channels_[number].leaving = true;
  changed_.notify_all();
}

}  // namespace penstock
