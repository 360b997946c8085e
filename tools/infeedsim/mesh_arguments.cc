#include "tools/infeedsim/mesh_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/files/quoted.h"
#include "formats/files/status_or.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

constexpr int kMostCores = 65'536;

Status Named(const char* option, const Status& status) {
  if (status.ok()) return status;
  return {status.code(), fmt::format("{}: {}", option, status.message())};
}

StatusOr<TensorSharding> ParseTensorSharding(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) {
    return InvalidArgumentError(fmt::format(
        "{} names no tensor; write \"tokens=data,None\"", Quoted(text)));
  }
  PENSTOCK_ASSIGN_OR_RETURN(PartitionSpec spec,
                            ParsePartitionSpec(text.substr(equals + 1)));
  return TensorSharding{text.substr(0, equals), std::move(spec)};
}

// Where the user says nothing of rows: as the first sharding cuts them, else
// over an axis "data", else over the first.
std::string RowsOf(const SimulationOptions& options) {
  if (!options.shardings.empty()) {
    const PartitionSpec& spec = options.shardings[0].spec;
    return spec.empty() ? "None" : PartitionSpecText({spec[0]});
  }
  const bool has_data = std::ranges::any_of(
      options.mesh, [](const MeshAxis& axis) { return axis.name == "data"; });
  return has_data ? "data" : options.mesh[0].name;
}

}  // namespace

void MeshArguments::AddTo(ArgumentGroup& group) {
  group.Number("--cores", cores, "N", "Devices of all hosts together")
      .Between(1, kMostCores);
  group
      .Option("--mesh", mesh, "AXES",
              "Devices as a grid instead, such as data=4,model=2")
      .Excludes({"--cores"});
  group.Option(
      "--mesh-devices", mesh_devices, "IDS",
      "Which device stands at each place of the grid, such as 0-3,7-4");
  group.Option("--device-hosts", device_hosts, "HOSTS",
               "The host of each device, such as 0,0,1,1; blocks otherwise");
  group.Option("--rows", rows, "AXES",
               "Axes that cut the rows of a batch, such as data,fsdp; data "
               "otherwise");
  group.Option("--sharding", shardings, "TENSOR=SPEC",
               "Axes that cut each dimension of a tensor, such as "
               "tokens=data,None or tokens=(data,fsdp),model; carried to "
               "tensors that share dimensions");
}

Status MeshArguments::Apply(SimulationOptions& options) const {
  options.mesh = {{"data", cores}};
  if (!mesh.empty()) {
    auto axes = ParseMeshAxes(mesh);
    PENSTOCK_RETURN_IF_ERROR(Named("--mesh", axes.status()));
    options.mesh = *std::move(axes);
    int64_t devices = 1;
    for (const MeshAxis& axis : options.mesh) {
      if (axis.size >= 1 && axis.size <= kMostCores / devices) {
        devices *= axis.size;
        continue;
      }
      return InvalidArgumentError(fmt::format(
          "--mesh {}: sizes are at least 1 and at most {} devices together",
          mesh, kMostCores));
    }
  }
  if (!mesh_devices.empty()) {
    auto devices = ParseNumbers(mesh_devices);
    PENSTOCK_RETURN_IF_ERROR(Named("--mesh-devices", devices.status()));
    options.mesh_devices = *std::move(devices);
  }
  if (!device_hosts.empty()) {
    auto hosts = ParseNumbers(device_hosts);
    PENSTOCK_RETURN_IF_ERROR(Named("--device-hosts", hosts.status()));
    options.host_of_device = *std::move(hosts);
  }
  for (const std::string& text : shardings) {
    auto sharding = ParseTensorSharding(text);
    PENSTOCK_RETURN_IF_ERROR(Named("--sharding", sharding.status()));
    options.shardings.push_back(*std::move(sharding));
  }
  options.axis = rows.empty() ? RowsOf(options) : rows;
  return OkStatus();
}

}  // namespace penstock
