#include "pipeline/groups/grpc_group.h"

namespace penstock {

StatusOr<std::vector<std::unique_ptr<Group>>> JoinByGrpc(
    GrpcGroupOptions options) {
  return UnimplementedError(
      "this Penstock was built without gRPC, so hosts cannot be processes: run "
      "tools/setup --hosts and configure with -DPENSTOCK_GRPC=ON");
}

bool HasGrpc() { return false; }

}  // namespace penstock
