#include "formats/datasets/leftovers.h"

#include <optional>
#include <vector>

#include "formats/files/file_owner.h"
#include "formats/files/status_or.h"

namespace penstock {

StatusOr<uint64_t> RemoveLeftovers(FileSystem& files,
                                   const std::string& folder) {
  PENSTOCK_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                            files.List(folder));
  uint64_t removed = 0;
  for (const std::string& name : names) {
    const std::optional<FileOwner> owner = OwnerOfTemporary(name);
    if (!owner.has_value() || StateOf(*owner) != OwnerState::kDead) continue;
    const Status status = files.Remove(folder + "/" + name);
    if (IsNotFound(status)) continue;  // another one was faster
    PENSTOCK_RETURN_IF_ERROR(status);
    ++removed;
  }
  return removed;
}

StatusOr<uint64_t> RemoveFolderOfFiles(FileSystem& files,
                                       const std::string& folder) {
  const StatusOr<std::vector<std::string>> names = files.List(folder);
  if (IsNotFound(names.status())) return 0;
  PENSTOCK_RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    PENSTOCK_RETURN_IF_ERROR(files.Remove(folder + "/" + name));
  }
  PENSTOCK_RETURN_IF_ERROR(files.RemoveFolder(folder));
  return names->size();
}

}  // namespace penstock
