#include "tools/programs/leftover_files.h"

#include "formats/datasets/leftovers.h"
#include "formats/files/file.h"
#include "formats/files/output_path.h"
#include "formats/files/status_or.h"
#include "tools/programs/output.h"

namespace penstock {

void ClearLeftovers(std::string_view program, const std::string& output) {
  const StatusOr<OutputPath> place = FindOutput(LocalFiles(), output);
  if (!place.ok() || place->in_place) return;
  const std::string folder = FolderOf(place->path);
  const StatusOr<uint64_t> removed = RemoveLeftovers(LocalFiles(), folder);
  if (!removed.ok() || *removed == 0) return;
  PrintError("{}: {}: removed {} files of runs that were cut off\n", program,
             folder, *removed);
}

}  // namespace penstock
