#include "pipeline/run/stage_accounts.h"

namespace penstock {

size_t StageAccount::ThreadNumber() {
  static std::atomic<size_t> threads = 0;
  static thread_local const size_t number =
      threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

StageAccount::Sums StageAccount::sums() const {
  Sums sums;
  for (const Line& line : lines_) {
    sums.busy_ns += line.busy_ns.load(std::memory_order_relaxed);
    sums.rows += line.rows.load(std::memory_order_relaxed);
    sums.bytes += line.bytes.load(std::memory_order_relaxed);
  }
  return sums;
}

PipelineProfile StageAccounts::Profile(int threads, bool sequence) const {
  const int64_t begun_ns = begin_ns.load(std::memory_order_relaxed);
  PipelineProfile profile{.threads = threads,
                          .wall_ns = begun_ns == 0 ? 0 : SteadyNs() - begun_ns,
                          .starved_ns = starved.sums().busy_ns,
                          .blocked_ns = blocked.sums().busy_ns};
  const auto add = [&](const char* name, const StageAccount& account,
                       bool one_thread) {
    const auto [busy_ns, rows, bytes] = account.sums();
    profile.stages.push_back({.name = name,
                              .busy_ns = busy_ns,
                              .one_thread = one_thread,
                              .rows = rows,
                              .bytes = bytes});
  };
  add("plan", plan, true);
  add("read", read, sequence);
  add("decode", decode, false);
  add("tokenize", tokenize, false);
  add("exchange", exchange, true);
  add("build", build, false);
  return profile;
}

uint64_t BytesOf(std::span<const std::string_view> records) {
  uint64_t bytes = 0;
  for (const std::string_view record : records) bytes += record.size();
  return bytes;
}

bool AwaitRoom(BatchRing& ring, uint64_t bytes, StageAccounts& accounts) {
  const StageTimer timer(accounts.blocked);
  return ring.AwaitRoom(bytes);
}

}  // namespace penstock
