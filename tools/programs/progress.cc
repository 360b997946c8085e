#include "tools/programs/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "infeed/queues/clock.h"
#include "tools/programs/output.h"
#include "tools/programs/program.h"

namespace penstock {
namespace {

constexpr int kBarWidth = 24;
constexpr auto kTerminalPeriod = std::chrono::milliseconds(200);
constexpr auto kPlainPeriod = std::chrono::seconds(10);

std::string MinutesAndSeconds(double seconds) {
  const auto whole = static_cast<uint64_t>(seconds + 0.5);
  const uint64_t hours = whole / 3600;
  const uint64_t minutes = whole / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, whole % 60)
                   : fmt::format("{}:{:02}", minutes, whole % 60);
}

// With tenths where they say something.
std::string Duration(double seconds) {
  return seconds < 59.95 ? fmt::format("{:.1f} s", seconds)
                         : MinutesAndSeconds(seconds);
}

}  // namespace

std::string ProgressText(uint64_t done, uint64_t total, uint64_t records,
                         double seconds, bool bar, ProgressUnit unit) {
  seconds = std::max(seconds, 0.0);
  const double part = total == 0
                          ? 1.0
                          : std::min(1.0, static_cast<double>(done) /
                                              static_cast<double>(total));
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text;
  if (bar) {
    const int filled = static_cast<int>(part * kBarWidth);
    text = fmt::format("[{:=<{}}{: <{}}] ", "", filled, "", kBarWidth - filled);
  }
  if (unit != ProgressUnit::kBytes) {
    text += fmt::format("{:3.0f}% {} {}, {}/s", part * 100, WithCommas(done),
                        unit == ProgressUnit::kTokens ? "tokens" : "records",
                        WithCommas(static_cast<uint64_t>(rate)));
  } else {
    text += fmt::format("{:3.0f}% {} {}/s, {} records", part * 100,
                        HumanBytes(static_cast<double>(done)), HumanBytes(rate),
                        WithCommas(records));
  }
  if (part >= 1) return text + ", took " + Duration(seconds);
  if (rate <= 0) return text;
  return text + ", ETA " +
         MinutesAndSeconds(static_cast<double>(total - done) / rate);
}

Progress::Progress(std::string label, uint64_t total, bool quiet,
                   ProgressUnit unit)
    : label_(std::move(label)),
      total_(total),
      unit_(unit),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      next_print_(begin_ + (terminal_ ? Clock::duration(kTerminalPeriod)
                                      : Clock::duration(kPlainPeriod))) {}

Progress::~Progress() {
  if (line_open_) PrintError("\n");
}

void Progress::Update(uint64_t done, uint64_t records) {
  if (quiet_) return;
  std::lock_guard lock(mutex_);
  if (Clock::now() < next_print_) return;
  Print(done, records, /*last=*/false);
}

void Progress::Finish(uint64_t done, uint64_t records) {
  if (quiet_) return;
  std::lock_guard lock(mutex_);
  Print(done, records, /*last=*/true);
}

void Progress::Print(uint64_t done, uint64_t records, bool last) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string text =
      ProgressText(done, total_, records, seconds, terminal_, unit_);
  if (terminal_) {
    PrintError("\r{} {}\x1b[K{}", label_, text, last ? "\n" : "");
    line_open_ = !last;
    next_print_ = now + kTerminalPeriod;
  } else {
    PrintError("{} {}\n", label_, text);
    next_print_ = now + kPlainPeriod;
  }
  std::fflush(stderr);
}

}  // namespace penstock
