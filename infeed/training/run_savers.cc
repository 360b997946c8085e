#include "infeed/training/run_savers.h"

#include <algorithm>

#include "formats/files/file.h"

namespace penstock {

Status RunSavers::Start(const SavingOptions& options,
                        const BatchPlacement& placement, uint32_t first,
                        size_t count,
                        const std::function<void(const Status&)>& on_failure) {
  if (options.folder.empty()) return OkStatus();
  for (uint32_t host = first; host < first + count; ++host) {
    if (!placement.DevicesOf(host).empty()) hosts_.push_back(host);
  }
  const CheckpointOptions& often = options.often;
  FileSystem& files = often.files != nullptr ? *often.files : LocalFiles();
  std::vector<Group*> groups = {often.group};
  if (often.group == nullptr) {
    ends_ = ThreadGroup(static_cast<uint32_t>(hosts_.size()));
    groups.clear();
    for (const auto& end : ends_) groups.push_back(end.get());
  }
  for (Group* group : groups) {
    PENSTOCK_ASSIGN_OR_RETURN(
        savers_.emplace_back(),
        CheckpointSaver::Start(CheckpointFolder(files, options.folder), often,
                               *group, options.begin, on_failure));
  }
  return OkStatus();
}

CheckpointSaver* RunSavers::Of(uint32_t host) const {
  const auto found = std::ranges::find(hosts_, host);
  return found == hosts_.end()
             ? nullptr
             : savers_[static_cast<size_t>(found - hosts_.begin())].get();
}

Status RunSavers::Finish() {
  for (const auto& saver : savers_) saver->BeginFinish();
  Status status;
  for (const auto& saver : savers_) status.Update(saver->Finish());
  return status;
}

}  // namespace penstock
