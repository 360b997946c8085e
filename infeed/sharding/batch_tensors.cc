#include "infeed/sharding/batch_tensors.h"

#include <string>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/sharding/batch_placement.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/sharding.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

// Stands for the rows of all tensors where a user says how they are cut.
constexpr char kBatch[] = "the batch";

std::vector<NamedTensor> TensorsOf(const Contract& contract, size_t shape) {
  std::vector<NamedTensor> tensors = {{.name = kBatch,
                                       .dimensions = {"rows"},
                                       .shape = {contract.RowsOf(shape)},
                                       .element_bytes = 0}};
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const TensorSpec& spec = contract.tensors[t];
    NamedTensor& tensor = tensors.emplace_back();
    tensor.name = spec.name;
    tensor.dimensions = {"rows"};
    for (const int64_t size : spec.row_shape) {
      tensor.dimensions.emplace_back(
          size == TensorSpec::kBucketLength ? "length" : "");
    }
    tensor.shape = contract.ShapeOf(t, shape, contract.RowsOf(shape));
    tensor.element_bytes = SizeBytes(spec.type);
  }
  return tensors;
}

}  // namespace

StatusOr<Completion> CompleteBatch(const Mesh& mesh, const Contract& contract,
                                   size_t shape, std::string_view axes,
                                   const std::vector<TensorSharding>& given) {
  PENSTOCK_ASSIGN_OR_RETURN(std::vector<std::string> row_axes, RowAxes(axes));
  std::vector<TensorSharding> all = {{kBatch, {std::move(row_axes)}}};
  all.insert(all.end(), given.begin(), given.end());
  PENSTOCK_ASSIGN_OR_RETURN(Completion completion,
                            Complete(mesh, TensorsOf(contract, shape), all));
  completion.shardings.erase(completion.shardings.begin());
  return completion;
}

StatusOr<LoadPlan> PlanBatchLoads(const Mesh& mesh, const Contract& contract,
                                  size_t shape, std::string_view axes,
                                  const std::vector<TensorSharding>& given,
                                  const DeviceHosts& hosts) {
  PENSTOCK_ASSIGN_OR_RETURN(Completion completion,
                            CompleteBatch(mesh, contract, shape, axes, given));
  std::vector<ShardedTensor> tensors;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    const PartitionSpec& spec = completion.shardings[t].spec;
    PENSTOCK_ASSIGN_OR_RETURN(Sharding sharding, Sharding::Create(mesh, spec));
    tensors.push_back(
        {.name = contract.tensors[t].name,
         .shape = contract.ShapeOf(t, shape, contract.RowsOf(shape)),
         .element_bytes = SizeBytes(contract.tensors[t].type),
         .sharding = std::move(sharding),
         .spec = PartitionSpecText(spec)});
  }
  PENSTOCK_ASSIGN_OR_RETURN(LoadPlan plan, PlanLoads(std::move(tensors), hosts,
                                                     {.whole_rows = true}));
  plan.warnings.insert(plan.warnings.begin(), completion.warnings.begin(),
                       completion.warnings.end());
  return plan;
}

}  // namespace penstock
