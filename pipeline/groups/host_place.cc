#include "pipeline/groups/host_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <utility>
#include <vector>

namespace penstock {
namespace {

// What one launcher says. What it leaves out flags may add.
struct Sight {
  std::string name;
  bool seen = false;
  std::string told = {};  // for people
  std::optional<uint32_t> hosts = std::nullopt;
  std::optional<uint32_t> host = std::nullopt;
  std::string coordinator = {};
  // Variables that should be there, and what to do.
  std::vector<std::string> lacks = {};
  std::string hint = {};
};

// Reads variables and notes what was there.
class Reader {
 public:
  Reader(const Environment& environment, Sight& sight)
      : environment_(environment), sight_(sight) {}

  std::optional<std::string> Maybe(const std::string& name) {
    std::optional<std::string> value = environment_(name);
    if (!value) return value;
    sight_.told +=
        fmt::format("{}{}={}", sight_.told.empty() ? "" : ", ", name, *value);
    return value;
  }
  std::string Text(const std::string& name) {
    const std::optional<std::string> value = Maybe(name);
    if (!value || value->empty()) sight_.lacks.push_back(name);
    return value.value_or("");
  }
  std::optional<uint64_t> Number(const std::string& name) {
    return NumberOf(Text(name), name);
  }
  uint64_t NumberOr(const std::string& name, uint64_t otherwise) {
    const std::optional<std::string> value = Maybe(name);
    if (!value) return otherwise;
    return NumberOf(*value, name).value_or(otherwise);
  }
  std::optional<uint32_t> Count(const std::string& name) {
    const std::optional<uint64_t> number = Number(name);
    return number ? std::optional(static_cast<uint32_t>(*number))
                  : std::nullopt;
  }

 private:
  std::optional<uint64_t> NumberOf(const std::string& text,
                                   const std::string& name) {
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data(), end, number);
    if (!text.empty() && error == std::errc() && at == end) return number;
    if (!text.empty()) sight_.lacks.push_back("a number in " + name);
    return std::nullopt;
  }

  const Environment& environment_;
  Sight& sight_;
};

bool AnySet(const Environment& environment,
            std::initializer_list<const char*> names) {
  return std::ranges::any_of(
      names, [&](const char* name) { return environment(name).has_value(); });
}

std::string At(std::string_view host, uint64_t port) {
  return fmt::format("{}:{}", host, port);
}

// "1531576320.0;tcp://10.96.0.1,10.148.0.1:34911", and "tcp6://[fe80::1,...]".
std::string OfMpirun(const std::string& uri) {
  const size_t dot = uri.find('.');
  const size_t begin = uri.find("://");
  uint64_t job = 0;
  if (dot == std::string::npos || begin == std::string::npos ||
      std::from_chars(uri.data(), uri.data() + dot, job).ec != std::errc()) {
    return {};
  }
  const std::string list = uri.substr(begin + 3);
  const bool is_v6 = list.starts_with('[');
  const std::string first = is_v6
                                ? list.substr(0, list.find_first_of(",]")) + "]"
                                : list.substr(0, list.find_first_of(",:"));
  return At(first, (job >> 12) % 4096 + 61440);
}

Sight OpenMpi(const Environment& environment) {
  Sight sight = {.name = "Open MPI"};
  sight.seen =
      AnySet(environment, {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"});
  if (!sight.seen) return sight;
  Reader reader(environment, sight);
  sight.hosts = reader.Count("OMPI_COMM_WORLD_SIZE");
  sight.host = reader.Count("OMPI_COMM_WORLD_RANK");
  const uint64_t here = reader.NumberOr("OMPI_COMM_WORLD_LOCAL_SIZE", 0);
  const std::string uri =
      reader.Maybe("OMPI_MCA_orte_hnp_uri").value_or(std::string());
  sight.coordinator = OfMpirun(uri);
  if (sight.hosts && here == *sight.hosts) {
    const size_t port = sight.coordinator.rfind(':');
    sight.coordinator = port == std::string::npos
                            ? std::string()
                            : "127.0.0.1" + sight.coordinator.substr(port);
  }
  if (sight.coordinator.empty()) {
    sight.lacks.emplace_back("OMPI_MCA_orte_hnp_uri");
    sight.hint = "Open MPI 5 does not set it: give --coordinator HOST:PORT";
  }
  return sight;
}

// "node[001-0015],host2" begins with node001.
std::string FirstNode(const std::string& list) {
  const size_t end = list.find_first_of(",[");
  std::string name = list.substr(0, end);
  if (end == std::string::npos || list[end] == ',') return name;
  const size_t numbers = end + 1;
  return name +
         list.substr(numbers, list.find_first_of(",-]", numbers) - numbers);
}

Sight Slurm(const Environment& environment) {
  Sight sight = {.name = "Slurm"};
  sight.seen = AnySet(environment, {"SLURM_STEP_NODELIST", "SLURM_PROCID",
                                    "SLURM_LOCALID", "SLURM_NTASKS"});
  if (!sight.seen) return sight;
  Reader reader(environment, sight);
  sight.hint = "start it with srun, which sets them";
  const std::optional<uint64_t> job = reader.Number("SLURM_JOB_ID");
  const std::string nodes = reader.Text("SLURM_STEP_NODELIST");
  sight.hosts = reader.Count("SLURM_NTASKS");
  sight.host = reader.Count("SLURM_PROCID");
  reader.Text("SLURM_LOCALID");
  if (!job || nodes.empty()) return sight;
  const bool one = reader.NumberOr("SLURM_STEP_NUM_NODES", 0) == 1;
  sight.coordinator =
      At(one ? "127.0.0.1" : FirstNode(nodes), *job % 4096 + 61440);
  return sight;
}

Sight TpuVm(const Environment& environment) {
  Sight sight = {.name = "TPU VMs"};
  const bool by_address = AnySet(environment, {"TPU_PROCESS_ADDRESSES"});
  sight.seen = by_address || AnySet(environment, {"TPU_WORKER_HOSTNAMES"});
  if (!sight.seen) return sight;
  Reader reader(environment, sight);
  const std::string list = reader.Text(by_address ? "TPU_PROCESS_ADDRESSES"
                                                  : "TPU_WORKER_HOSTNAMES");
  const auto workers = static_cast<uint64_t>(std::ranges::count(list, ',') + 1);
  const uint64_t slices = reader.NumberOr("MEGASCALE_NUM_SLICES", 1);
  std::string first = list.substr(0, list.find_first_of(",:"));
  uint64_t slice = 0;
  if (slices > 1) {
    slice = reader.Number("MEGASCALE_SLICE_ID").value_or(0);
    first = reader.Text("MEGASCALE_COORDINATOR_ADDRESS");
    first = first.substr(0, first.find(':'));
  }
  sight.hosts = static_cast<uint32_t>(workers * slices);
  // One worker need not be told which it is.
  if (*sight.hosts == 1) {
    sight.host = 0;
  } else if (const auto worker = reader.Number("TPU_WORKER_ID")) {
    sight.host = static_cast<uint32_t>(*worker + slice * workers);
  }
  if (!first.empty()) sight.coordinator = At(first, 8482);
  return sight;
}

Sight Kubernetes(const Environment& environment) {
  Sight sight = {.name = "Kubernetes"};
  sight.seen = AnySet(environment, {"JOB_COMPLETION_INDEX"});
  if (!sight.seen) return sight;
  Reader reader(environment, sight);
  sight.host = reader.Count("JOB_COMPLETION_INDEX");
  const std::string pod = reader.Maybe("HOSTNAME").value_or("JOB-0");
  sight.hint = fmt::format(
      "an indexed job does not tell its pods how many they are, nor the name "
      "of their service: give --hosts N --coordinator {}-0.SERVICE:55527, or "
      "--hosts 1 for a pod by itself",
      pod.substr(0, pod.rfind('-')));
  return sight;
}

Status Differ(std::string_view flag, uint64_t said, const Sight& sight,
              uint64_t told) {
  return InvalidArgumentError(
      fmt::format("{} {} was given, but {} says {} ({})", flag, said,
                  sight.name, told, sight.told));
}

// What `sight` leaves open with the flags; `sight` may be of nobody.
StatusOr<std::optional<HostPlace>> Merge(const HostFlags& flags,
                                         const Sight& sight) {
  if (sight.seen) {
    if (flags.hosts && sight.hosts && *flags.hosts != *sight.hosts &&
        *sight.hosts > 1) {
      return Differ("--hosts", *flags.hosts, sight, *sight.hosts);
    }
    if (flags.host && sight.host && *flags.host != *sight.host) {
      return Differ("--host", *flags.host, sight, *sight.host);
    }
  }
  const bool has_flags = flags.host || !flags.coordinator.empty();
  const std::optional<uint32_t> hosts = sight.hosts ? sight.hosts : flags.hosts;
  // A launcher of one process leaves it alone, with as many hosts as threads
  // as it likes.
  if (!has_flags && (sight.seen ? hosts == 1u : true)) return std::nullopt;
  const HostPlace place = {
      .hosts = hosts.value_or(0),
      .host = (flags.host ? flags.host : sight.host).value_or(0),
      .coordinator =
          flags.coordinator.empty() ? sight.coordinator : flags.coordinator,
      .told_by = sight.seen ? sight.name : "flags"};
  std::vector<std::string> lacks;
  if (!hosts) lacks.emplace_back("--hosts");
  if (!flags.host && !sight.host) lacks.emplace_back("--host");
  if (place.coordinator.empty()) lacks.emplace_back("--coordinator");
  if (lacks.empty()) {
    if (place.hosts == 0 || place.host >= place.hosts) {
      return InvalidArgumentError(
          fmt::format("host {} is not one of the {} hosts, which count from 0",
                      place.host, place.hosts));
    }
    return place;
  }
  if (!sight.seen) {
    return InvalidArgumentError(fmt::format(
        "hosts that are processes need --coordinator, --hosts and --host; {} "
        "is not given, and no launcher says it",
        fmt::join(lacks, " and ")));
  }
  std::string missing;
  if (!sight.lacks.empty()) {
    missing = fmt::format(": {} is not set", fmt::join(sight.lacks, " and "));
  }
  if (!sight.hint.empty()) missing += ": " + sight.hint;
  return InvalidArgumentError(
      fmt::format("{} tells half of where this process is ({}){}; give {}",
                  sight.name, sight.told, missing, fmt::join(lacks, " and ")));
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* const value = std::getenv(name.c_str());
    if (value == nullptr) return std::nullopt;
    return value;
  };
}

StatusOr<FoundPlace> FindHostPlace(const HostFlags& flags,
                                   const Environment& environment) {
  Sight chosen = {.name = "nobody"};
  std::string seen;
  if (flags.hosts && flags.host && !flags.coordinator.empty()) {
    seen = "  the flags say all, so no launcher was asked\n";
  } else {
    for (auto* const look : {OpenMpi, Slurm, TpuVm, Kubernetes}) {
      Sight sight = look(environment);
      seen += fmt::format("  {}: {}{}\n", sight.name,
                          sight.seen ? sight.told : "not seen",
                          sight.seen && chosen.seen ? " (not asked)" : "");
      if (sight.seen && !chosen.seen) chosen = std::move(sight);
    }
  }
  FoundPlace found;
  PENSTOCK_ASSIGN_OR_RETURN(found.place, Merge(flags, chosen));
  if (found.place) {
    found.explanation = fmt::format(
        "this process is host {} of {}, told by {}; host 0 coordinates at {}\n",
        found.place->host, found.place->hosts, found.place->told_by,
        found.place->coordinator);
  } else {
    found.explanation = "this process is alone\n";
  }
  found.explanation += seen;
  return found;
}

}  // namespace penstock
