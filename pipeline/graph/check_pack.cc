#include "pipeline/graph/check_pack.h"

#include <fmt/format.h>

#include <cmath>

#include "formats/files/status.h"

namespace penstock {
namespace {

// Packing keeps a few bytes for each length that may be left in a row.
constexpr int64_t kMaxPackedLength = int64_t{1} << 24;

Status CheckMegatron(const Stages& stages) {
  const PackOptions& pack = *stages.pack;
  if (pack.kind != PackKind::kMegatron) {
    if (pack.seed == 0 && pack.samples == 0) return OkStatus();
    return InvalidArgumentError(
        "Pack with a seed or samples, which are of PackKind::kMegatron: leave "
        "them out");
  }
  if (pack.length < 2 || pack.seed > UINT32_MAX || pack.max_segments != 0) {
    return InvalidArgumentError(fmt::format(
        "PackKind::kMegatron with length {}, seed {} and max_segments {}: give "
        "a length from 2 on, the sequence length and 1, a seed below 2^32 and "
        "no max_segments",
        pack.length, pack.seed, pack.max_segments));
  }
  if (stages.epochs != 1 || !stages.withdrawn.empty()) {
    return InvalidArgumentError(
        "PackKind::kMegatron with Repeat or Withdraw: its samples are of as "
        "many passes as PackOptions::samples takes, and any record less moves "
        "all others; leave them out");
  }
  return OkStatus();
}

}  // namespace

Status CheckPack(const Stages& stages) {
  const PackOptions& pack = *stages.pack;
  const int64_t batch_rows = stages.batch.size;
  if (pack.length < 1 || pack.length > kMaxPackedLength) {
    return InvalidArgumentError(
        fmt::format("Pack to a length of {}: give one from 1 to {}",
                    pack.length, kMaxPackedLength));
  }
  if (pack.max_segments < 0 || pack.max_segments > kMaxPackedLength) {
    return InvalidArgumentError(fmt::format(
        "Pack with at most {} segments in a row: give a number up to {}, or 0 "
        "for as many as fit",
        pack.max_segments, kMaxPackedLength));
  }
  PENSTOCK_RETURN_IF_ERROR(CheckMegatron(stages));
  if (pack.window_rows == 0 ||
      (pack.window_rows >= batch_rows && pack.window_rows <= kMaxRows)) {
    return OkStatus();
  }
  return InvalidArgumentError(fmt::format(
      "Pack with window_rows {}: give no fewer than the {} rows of a batch and "
      "at most {}, or 0",
      pack.window_rows, batch_rows, kMaxRows));
}

Status CheckBalance(const Stages& stages) {
  const BalanceOptions& balance = stages.batch.balance;
  if (balance.parts == 0) return OkStatus();
  if (!stages.pack) {
    return InvalidArgumentError(
        "balance without Pack: rows of one record have the length of their "
        "batch, so all cost the same");
  }
  if (balance.parts < 0 || stages.batch.size % balance.parts != 0) {
    return InvalidArgumentError(fmt::format(
        "balance of {} parts: give a divisor of the {} rows of a batch",
        balance.parts, stages.batch.size));
  }
  if (balance.linear >= 0 && balance.quadratic >= 0 &&
      std::isfinite(balance.linear) && std::isfinite(balance.quadratic)) {
    return OkStatus();
  }
  return InvalidArgumentError(
      fmt::format("balance with costs {} and {}: give none below 0",
                  balance.linear, balance.quadratic));
}

}  // namespace penstock
