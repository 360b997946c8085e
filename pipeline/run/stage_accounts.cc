#include "pipeline/run/stage_accounts.h"

namespace penstock {

PipelineProfile StageAccounts::Profile(int threads, bool sequence) const {
  const int64_t begun_ns = begin_ns.load(std::memory_order_relaxed);
  PipelineProfile profile{
      .threads = threads,
      .wall_ns = begun_ns == 0 ? 0 : SteadyNs() - begun_ns,
      .starved_ns = starved.busy_ns.load(std::memory_order_relaxed),
      .blocked_ns = blocked.busy_ns.load(std::memory_order_relaxed)};
  const auto add = [&](const char* name, const StageAccount& account,
                       bool one_thread) {
    profile.stages.push_back(
        {.name = name,
         .busy_ns = account.busy_ns.load(std::memory_order_relaxed),
         .one_thread = one_thread,
         .rows = account.rows.load(std::memory_order_relaxed),
         .bytes = account.bytes.load(std::memory_order_relaxed)});
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
