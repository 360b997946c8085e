#include "tools/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "tools/program.h"

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

}  // namespace

std::string ProgressText(uint64_t done_bytes, uint64_t total_bytes,
                         uint64_t records, double seconds, bool bar) {
  const double part = total_bytes == 0
                          ? 1.0
                          : std::min(1.0, static_cast<double>(done_bytes) /
                                              static_cast<double>(total_bytes));
  const double rate =
      seconds > 0 ? static_cast<double>(done_bytes) / seconds : 0;
  std::string text;
  if (bar) {
    const int filled = static_cast<int>(part * kBarWidth);
    text = fmt::format("[{:=<{}}{: <{}}] ", "", filled, "", kBarWidth - filled);
  }
  text += fmt::format("{:3.0f}% {} {}/s, {} records", part * 100,
                      HumanBytes(static_cast<double>(done_bytes)),
                      HumanBytes(rate), WithCommas(records));
  if (part >= 1) return text + ", took " + MinutesAndSeconds(seconds);
  if (rate <= 0) return text;
  return text + ", ETA " +
         MinutesAndSeconds(static_cast<double>(total_bytes - done_bytes) /
                           rate);
}

Progress::Progress(std::string label, uint64_t total_bytes, bool quiet)
    : label_(std::move(label)),
      total_bytes_(total_bytes),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      next_print_(begin_ + (terminal_ ? Clock::duration(kTerminalPeriod)
                                      : Clock::duration(kPlainPeriod))) {}

Progress::~Progress() {
  if (line_open_) fmt::print(stderr, "\n");
}

void Progress::Update(uint64_t done_bytes, uint64_t records) {
  if (quiet_) return;
  std::lock_guard lock(mutex_);
  if (Clock::now() < next_print_) return;
  Print(done_bytes, records, /*last=*/false);
}

void Progress::Finish(uint64_t done_bytes, uint64_t records) {
  if (quiet_) return;
  std::lock_guard lock(mutex_);
  Print(done_bytes, records, /*last=*/true);
}

void Progress::Print(uint64_t done_bytes, uint64_t records, bool last) {
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const std::string text =
      ProgressText(done_bytes, total_bytes_, records, seconds, terminal_);
  if (terminal_) {
    fmt::print(stderr, "\r{} {}\x1b[K{}", label_, text, last ? "\n" : "");
    line_open_ = !last;
    next_print_ = now + kTerminalPeriod;
  } else {
    fmt::print(stderr, "{} {}\n", label_, text);
    next_print_ = now + kPlainPeriod;
  }
  std::fflush(stderr);
}

}  // namespace penstock
