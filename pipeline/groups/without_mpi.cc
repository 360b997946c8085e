#include "pipeline/groups/mpi_group.h"

namespace penstock {

StatusOr<std::vector<std::unique_ptr<Group>>> JoinByMpi(
    MpiGroupOptions options) {
  return UnimplementedError(
      "this Penstock was built without MPI: run tools/setup --hosts and "
      "configure with -DPENSTOCK_MPI=ON");
}

bool HasMpi() { return false; }

}  // namespace penstock
