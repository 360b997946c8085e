#include "infeed/checkpoints.h"

#include <utility>
#include <vector>

#include "formats/files/file.h"
#include "infeed/training/checkpoint_saver.h"
#include "infeed/training/resume.h"
#include "infeed/training/row_digests.h"
#include "pipeline/group.h"

namespace penstock {

class Checkpoints::Impl {
 public:
  Impl(Infeed& infeed, const CheckpointOptions& options)
      : infeed_(infeed),
        solo_(options.group == nullptr ? SoloGroup() : nullptr),
        group_(solo_ != nullptr ? *solo_ : *options.group) {}

  Status Open(const std::string& path, const CheckpointOptions& options) {
    FileSystem& files =
        options.files != nullptr ? *options.files : LocalFiles();
    const CheckpointFolder folder(files, path);
    PENSTOCK_ASSIGN_OR_RETURN(resumed_,
                              FindCheckpoint(folder, options, group_));
    if (resumed_) {
      const Resumable source = {
          .topology = infeed_.topology(),
          .graph = infeed_.state().graph,
          .restore = [&](const State& state) { return infeed_.Restore(state); },
          .next = [&] { return infeed_.SkipFirst(); }};
      PENSTOCK_RETURN_IF_ERROR(GoOnFrom(*resumed_, source, group_));
    }
    PENSTOCK_ASSIGN_OR_RETURN(
        saver_, CheckpointSaver::Start(
                    folder, options, group_, infeed_.state(),
                    [this](const Status& why) { infeed_.Leave(why); }));
    return OkStatus();
  }

  const std::optional<Checkpoint>& resumed() const { return resumed_; }
  CheckpointSaver& saver() { return *saver_; }
  const Topology& topology() const { return infeed_.topology(); }

 private:
  Infeed& infeed_;
  const std::unique_ptr<Group> solo_;
  Group& group_;
  std::optional<Checkpoint> resumed_;
  std::unique_ptr<CheckpointSaver> saver_;
};

StatusOr<Checkpoints> Checkpoints::Open(const std::string& folder,
                                        Infeed& infeed,
                                        CheckpointOptions options) {
  auto impl = std::make_unique<Impl>(infeed, options);
  const Status opened = impl->Open(folder, options);
  if (opened.ok()) return Checkpoints(std::move(impl));
  infeed.Leave(opened);
  return opened;
}

Checkpoints::Checkpoints(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Checkpoints::Checkpoints(Checkpoints&&) noexcept = default;
Checkpoints& Checkpoints::operator=(Checkpoints&&) noexcept = default;
Checkpoints::~Checkpoints() = default;

const std::optional<Checkpoint>& Checkpoints::resumed() const {
  return impl_->resumed();
}

Status Checkpoints::AfterStep(const InfeedBatch& batch, ModelSnapshot model) {
  std::vector<ShardDigest> rows;
  if (!batch.slices.empty()) {
    rows = DigestRows(batch.slices[0].batch(), impl_->topology());
  }
  return impl_->saver().AfterStep({.state = batch.state_after,
                                   .rows = std::move(rows),
                                   .model = std::move(model)});
}

void Checkpoints::Preempt() { impl_->saver().Preempt(); }
bool Checkpoints::preempted() const { return impl_->saver().preempted(); }
Status Checkpoints::Finish() { return impl_->saver().Finish(); }

}  // namespace penstock
