#include "pipeline/pipeline.h"

#include <utility>

#include "pipeline/run/pipeline_impl.h"

namespace penstock {
namespace {

// A fingerprint is that of the data above that of the graph and the shards.
constexpr int kGraphBits = 32;

}  // namespace

Pipeline::Impl::Impl(std::shared_ptr<const Job> job,
                     std::unique_ptr<Placement> placement,
                     std::unique_ptr<Workers> workers, uint64_t buffer_bytes,
                     PipelineFacts facts)
    : job_(std::move(job)),
      facts_(std::move(facts)),
      placement_(std::move(placement)),
      workers_(std::move(workers)),
      builder_(
          *workers_, buffer_bytes,
          kBatchesForEachThread * static_cast<size_t>(workers_->threads())) {}

Pipeline::Impl::~Impl() {
  builder_.Cancel();
  if (!driver_.joinable()) return;
  {
    // A run that came to its end leaves the group of hosts as it is: others may
    // still need it.
    std::unique_lock lock(mutex_);
    if (!driver_ended_well_) {
      lock.unlock();
      placement_->Cancel();
    }
  }
  driver_.join();
}

void Pipeline::Impl::Drive() {
  StatusOr<LeftOut> left_out = placement_->Run(builder_);
  if (left_out.ok()) {
    const std::lock_guard lock(mutex_);
    driver_ended_well_ = true;
  }
  builder_.Finish(left_out.status(), left_out.ok() ? *left_out : LeftOut{});
}

StatusOr<std::optional<Batch>> Pipeline::Impl::Next() {
  if (!driver_.joinable()) driver_ = std::thread([this] { Drive(); });
  StatusOr<std::optional<Built>> built = builder_.Pop();
  if (!built.ok()) return built.status();
  const std::lock_guard lock(mutex_);
  const LeftOut left_out =
      built->has_value() ? (*built)->left_out : builder_.left_out_at_end();
  counts_.dropped = left_out.dropped;
  counts_.truncated = left_out.truncated;
  if (!built->has_value()) return std::optional<Batch>();
  counts_.records += (*built)->real_rows;
  counts_.pad_rows +=
      static_cast<uint64_t>(job_->contract().rows) - (*built)->real_rows;
  return std::optional<Batch>(std::move((*built)->batch));
}

Status Pipeline::Impl::Restore(const State& state) {
  if (driver_.joinable()) {
    return FailedPreconditionError(
        "Restore() must come before the first Next(): compile the dataset "
        "again and restore that");
  }
  if (state.fingerprint == job_->fingerprint) {
    return placement_->Restore(state);
  }
  if (state.fingerprint >> kGraphBits != job_->fingerprint >> kGraphBits) {
    return FailedPreconditionError(
        "the state is of another dataset: names, sizes or numbers of records "
        "of the files differ");
  }
  return FailedPreconditionError(
      "the state is of this data but of another graph: a stage, an option, the "
      "batch size, the number of shards or planned and streamed differ");
}

void Pipeline::Impl::Cancel() {
  builder_.Cancel();
  placement_->Cancel();
}

PipelineCounts Pipeline::Impl::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

Pipeline::Pipeline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Pipeline::Pipeline(Pipeline&&) noexcept = default;
Pipeline& Pipeline::operator=(Pipeline&&) noexcept = default;
Pipeline::~Pipeline() = default;

StatusOr<std::optional<Batch>> Pipeline::Next() { return impl_->Next(); }
Status Pipeline::Restore(const State& state) { return impl_->Restore(state); }
void Pipeline::Cancel() { impl_->Cancel(); }
const Contract& Pipeline::contract() const { return impl_->job().contract(); }
const Topology& Pipeline::topology() const { return impl_->job().topology; }
uint64_t Pipeline::Fingerprint() const { return impl_->job().fingerprint; }
std::optional<uint64_t> Pipeline::steps_per_epoch() const {
  return impl_->facts().steps_per_epoch;
}
std::optional<uint64_t> Pipeline::records_per_epoch() const {
  return impl_->facts().records_per_epoch;
}
bool Pipeline::planned() const { return impl_->facts().planned; }
PipelineCounts Pipeline::counts() const { return impl_->counts(); }
std::string Pipeline::Explain() const { return impl_->facts().explanation; }

}  // namespace penstock
