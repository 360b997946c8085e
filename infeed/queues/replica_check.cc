#include "infeed/queues/replica_check.h"

#include <fmt/format.h>

#include <utility>

#include "formats/files/status_or.h"
#include "infeed/queues/replica_digests.h"
#include "infeed/queues/replica_verdict.h"
#include "pipeline/group.h"

namespace penstock {
namespace {

class CheckedSource : public BatchSource {
 public:
  CheckedSource(std::unique_ptr<BatchSource> source, SharedShards shared,
                ReplicaCheckOptions options)
      : source_(std::move(source)),
        shared_(std::move(shared)),
        options_(options) {}

  StatusOr<std::optional<Batch>> Next() override {
    PENSTOCK_RETURN_IF_ERROR(CheckGroup());
    StatusOr<std::optional<Batch>> batch = source_->Next();
    Status status = batch.status();
    if (status.ok() && !*batch) {
      status = End();
      // Whoever needs no more data than it has got may leave.
      if (IsCancelled(status)) return batch;
    } else if (status.ok() && (*batch)->step % options_.every == 0) {
      status = Check(**batch);
    }
    if (status.ok()) return batch;
    // Before this host leaves: another may still wait for the last round.
    options_.group->Fail(status);
    return status;
  }

  void Cancel() override {
    source_->Cancel();
    if (options_.group == nullptr) return;
    options_.group->Fail(CancelledError("the check of replicas was cancelled"));
  }
  void Leave(const Status& why) override {
    source_->Leave(why);
    if (options_.group != nullptr) options_.group->Fail(why);
  }

  Status Restore(const State& state) override {
    return source_->Restore(state);
  }
  State start() const override { return source_->start(); }
  const Contract& contract() const override { return source_->contract(); }
  const Topology& topology() const override { return source_->topology(); }
  PipelineCounts counts() const override { return source_->counts(); }
  std::optional<PipelineProfile> profile() const override {
    return source_->profile();
  }
  uint64_t records_read() const override { return source_->records_read(); }
  std::string Explain() const override { return source_->Explain(); }

 private:
  Status CheckGroup() const {
    const uint32_t hosts = topology().hosts;
    if (options_.group != nullptr && options_.group->hosts() == hosts) {
      return OkStatus();
    }
    return InvalidArgumentError(fmt::format(
        "checking what {} hosts feed twice needs a group of all of them, for "
        "that alone",
        hosts));
  }

  Status Check(const Batch& batch) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<ReplicaPart> hosts,
                              Gather(DigestShared(batch, topology(), shared_)));
    const std::vector<SharedPart> different = FindDifferent(hosts, shared_);
    if (different.empty()) return OkStatus();
    PENSTOCK_ASSIGN_OR_RETURN(
        const std::vector<std::string> told,
        options_.group->AllGather(
            TellRows(DigestSharedRows(batch, topology(), different))));
    std::vector<std::vector<std::vector<RowDigest>>> rows;
    for (const std::string& host : told) {
      PENSTOCK_ASSIGN_OR_RETURN(rows.emplace_back(), HearRows(host));
    }
    return TellDifferent(rows, different, shared_, contract(), batch.step);
  }

  Status End() { return Gather({.at_end = true}).status(); }

  // [hosts], all at the same step.
  StatusOr<std::vector<ReplicaPart>> Gather(const ReplicaPart& mine) {
    PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> told,
                              options_.group->AllGather(TellPart(mine)));
    std::vector<ReplicaPart> hosts;
    for (size_t host = 0; host < told.size(); ++host) {
      PENSTOCK_ASSIGN_OR_RETURN(
          hosts.emplace_back(),
          HearPart(told[host], shared_.of_host[host].size(),
                   contract().tensors.size() + 1));
    }
    PENSTOCK_RETURN_IF_ERROR(CheckSteps(hosts));
    return hosts;
  }

  const std::unique_ptr<BatchSource> source_;
  const SharedShards shared_;
  const ReplicaCheckOptions options_;
};

}  // namespace

std::unique_ptr<BatchSource> CheckReplicas(std::unique_ptr<BatchSource> source,
                                           ReplicaCheckOptions options) {
  if (options.every == 0) return source;
  SharedShards shared = SharedShards::Of(source->topology());
  if (shared.all.empty()) return source;
  return std::make_unique<CheckedSource>(std::move(source), std::move(shared),
                                         options);
}

}  // namespace penstock
