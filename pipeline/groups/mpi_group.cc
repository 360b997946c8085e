#include "pipeline/groups/mpi_group.h"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "pipeline/groups/member_end.h"
#include "pipeline/groups/mpi_membership.h"

namespace penstock {
namespace {

Status StartMpi() {
  int begun = 0;
  int threads = 0;
  MPI_Initialized(&begun);
  if (begun != 0) {
    MPI_Query_thread(&threads);
    if (threads >= MPI_THREAD_MULTIPLE) return OkStatus();
    return FailedPreconditionError(
        "the program initialised MPI for fewer threads than it has: use "
        "MPI_Init_thread with MPI_THREAD_MULTIPLE");
  }
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &threads);
  std::atexit([] { MPI_Finalize(); });
  if (threads >= MPI_THREAD_SERIALIZED) return OkStatus();
  return FailedPreconditionError("this MPI is for programs without threads");
}

// The first host of another version, the same on all.
Status CheckVersions(std::string_view version, int hosts) {
  std::array<char, 64> mine = {};
  version.copy(mine.data(), mine.size() - 1);
  std::vector<std::array<char, 64>> all(static_cast<size_t>(hosts));
  MPI_Allgather(mine.data(), mine.size(), MPI_BYTE, all.data(), mine.size(),
                MPI_BYTE, MPI_COMM_WORLD);
  for (size_t h = 1; h < all.size(); ++h) {
    if (all[h] == all[0]) continue;
    return FailedPreconditionError(
        fmt::format("host {} runs version {}, host 0 version {}", h,
                    all[h].data(), all[0].data()));
  }
  return OkStatus();
}

}  // namespace

StatusOr<std::vector<std::unique_ptr<Group>>> JoinByMpi(
    MpiGroupOptions options) {
  PENSTOCK_RETURN_IF_ERROR(StartMpi());
  int hosts = 0;
  int host = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &hosts);
  MPI_Comm_rank(MPI_COMM_WORLD, &host);
  if (options.version.empty()) options.version = PENSTOCK_VERSION;
  PENSTOCK_RETURN_IF_ERROR(CheckVersions(options.version, hosts));
  const auto member = std::make_shared<MpiMembership>(
      static_cast<uint32_t>(hosts), static_cast<uint32_t>(host),
      options.channels);
  PENSTOCK_RETURN_IF_ERROR(member->Start());
  std::vector<std::unique_ptr<Group>> ends;
  for (uint8_t c = 0; c < options.channels; ++c) {
    ends.push_back(std::make_unique<MemberEnd<MpiMembership>>(member, c));
  }
  return ends;
}

bool HasMpi() { return true; }

}  // namespace penstock
