#include "infeed/accounts/ledger.h"

#include <cassert>

namespace penstock {
namespace {

struct Names {
  std::string_view name;
  std::string_view key;
};
constexpr std::array<Names, kBuckets> kNames = {{
    {"init", "init_ns"},
    {"infeed wait", "infeed_wait_ns"},
    {"transfer wait", "transfer_wait_ns"},
    {"peer wait", "peer_wait_ns"},
    {"compile", "compile_ns"},
    {"compute", "compute_ns"},
    {"pad compute", "pad_compute_ns"},
    {"outfeed wait", "outfeed_wait_ns"},
    {"checkpoint", "checkpoint_ns"},
    {"drain", "drain_ns"},
}};

// pad_rows / rows of `ns`, rounded down. A step of days on a batch of
// 2^32 rows still fits 128 bits.
int64_t Share(int64_t ns, uint64_t pad_rows, uint64_t rows) {
  return static_cast<int64_t>(static_cast<unsigned __int128>(ns) * pad_rows /
                              rows);
}

}  // namespace

std::string_view BucketName(Bucket bucket) {
  return kNames[static_cast<size_t>(bucket)].name;
}

std::string_view BucketKey(Bucket bucket) {
  return kNames[static_cast<size_t>(bucket)].key;
}

Ledger::Ledger(int64_t begin_ns, Bucket bucket)
    : begin_ns_(begin_ns), mark_ns_(begin_ns), current_(bucket) {}

Ledger Ledger::Of(int64_t begin_ns, const std::array<int64_t, kBuckets>& ns) {
  Ledger ledger(begin_ns);
  ledger.ns_ = ns;
  for (const int64_t spent_ns : ns) ledger.mark_ns_ += spent_ns;
  return ledger;
}

void Ledger::Enter(Bucket bucket, int64_t now_ns) {
  assert(now_ns >= mark_ns_);
  ns_[static_cast<size_t>(current_)] += now_ns - mark_ns_;
  mark_ns_ = now_ns;
  current_ = bucket;
}

void Ledger::EndStep(Bucket bucket, int64_t now_ns, uint64_t pad_rows,
                     uint64_t rows) {
  assert(now_ns >= mark_ns_ && pad_rows <= rows);
  const int64_t elapsed_ns = now_ns - mark_ns_;
  const int64_t pad_ns = rows == 0 ? 0 : Share(elapsed_ns, pad_rows, rows);
  ns_[static_cast<size_t>(Bucket::kPadCompute)] += pad_ns;
  ns_[static_cast<size_t>(Bucket::kCompute)] += elapsed_ns - pad_ns;
  mark_ns_ = now_ns;
  current_ = bucket;
}

}  // namespace penstock
