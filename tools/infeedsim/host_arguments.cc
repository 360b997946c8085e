#include "tools/infeedsim/host_arguments.h"

#include <algorithm>
#include <utility>

#include "pipeline/groups/grpc_group.h"
#include "pipeline/groups/host_place.h"
#include "pipeline/groups/mpi_group.h"

namespace penstock {
namespace {

constexpr uint8_t kChannels = 4;

StatusOr<FoundPlace> Find(const HostArguments& arguments) {
  if (arguments.joining == Joining::kThreads) {
    return FoundPlace{
        .explanation =
            "all hosts are threads of this process: --join threads\n"};
  }
  return FindHostPlace({.hosts = arguments.hosts,
                        .host = arguments.host,
                        .coordinator = arguments.coordinator},
                       ProcessEnvironment());
}

}  // namespace

void HostArguments::AddTo(Command& command) {
  constexpr uint32_t kMostHosts = 4096;
  constexpr double kMostSeconds = 1e6;
  ArgumentGroup& group = command.Group("Hosts");
  group
      .Number("--hosts", hosts, "N",
              "Hosts, each with its own pipeline and a share of the cores; "
              "threads of this process but for what follows")
      .Between(1, kMostHosts)
      .DefaultsTo("1, or the launcher's");
  group
      .Number(
          "--host", host, "I",
          "Which host this process is, where hosts are processes; Open MPI, "
          "Slurm, TPU VMs and Kubernetes say it, too")
      .Between(0, kMostHosts - 1)
      .DefaultsTo("the launcher's");
  group.Option("--coordinator", coordinator, "HOST:PORT",
               "Where host 0 listens and the others find it; the network must "
               "be your own");
  group.Choice("--join", joining,
               {{"auto", Joining::kAuto},
                {"threads", Joining::kThreads},
                {"grpc", Joining::kGrpc},
                {"mpi", Joining::kMpi}},
               "What hosts are: threads, or processes that meet over gRPC or "
               "MPI; auto is gRPC where flags or launcher say processes");
  group
      .Number("--join-timeout", join_s, "S",
              "Seconds until all processes must have come")
      .Between(1e-3, kMostSeconds);
  group
      .Number("--host-timeout", silence_s, "S",
              "Seconds without a sign of life after which a process is dead")
      .Between(1e-3, kMostSeconds);
  group.Flag("--explain-topology", explain,
             "Prints which host this process is, and why, and ends");
}

StatusOr<std::string> HostArguments::Explain() const {
  PENSTOCK_ASSIGN_OR_RETURN(FoundPlace found, Find(*this));
  return std::move(found.explanation);
}

StatusOr<std::vector<std::unique_ptr<Group>>> HostArguments::Join(
    std::stop_token stop) const {
  if (joining == Joining::kMpi) return JoinByMpi({.channels = kChannels});
  PENSTOCK_ASSIGN_OR_RETURN(FoundPlace found, Find(*this));
  if (!found.place) {
    if (joining == Joining::kGrpc) {
      return InvalidArgumentError(
          "--join grpc needs --coordinator, --hosts and --host, or a launcher "
          "that says them");
    }
    return std::vector<std::unique_ptr<Group>>();
  }
  HostTimes times = {.join_ns = static_cast<int64_t>(join_s * 1e9),
                     .silence_ns = static_cast<int64_t>(silence_s * 1e9)};
  times.leave_ns = std::min(times.leave_ns, times.silence_ns);
  return JoinByGrpc({.coordinator = found.place->coordinator,
                     .hosts = found.place->hosts,
                     .host = found.place->host,
                     .channels = kChannels,
                     .times = times,
                     .stop = std::move(stop)});
}

Status FailAll(const std::vector<std::unique_ptr<Group>>& ends,
               const Status& why) {
  if (ends.empty()) return why;
  bool told = false;
  for (const auto& end : ends) told = told || !end->failed().ok();
  const Status cause =
      told ? why : Annotate(why, "host " + std::to_string(ends[0]->host()));
  for (const auto& end : ends) end->Fail(cause);
  return ends.back()->failed();
}

}  // namespace penstock
