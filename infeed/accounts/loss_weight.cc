#include "infeed/accounts/loss_weight.h"

#include <fmt/format.h>

#include <algorithm>

#include "formats/files/status_or.h"

namespace penstock {

double WeightOf(const CoreSlice& slice) {
  const Contract& contract = slice.contract();
  const auto weights =
      std::ranges::find(contract.tensors, Role::kWeights, &TensorSpec::role);
  if (weights == contract.tensors.end()) {
    return static_cast<double>(slice.rows());
  }
  const TensorView view =
      slice.WholeRows(static_cast<size_t>(weights - contract.tensors.begin()));
  double sum = 0;
  for (const float weight : view.values<float>()) sum += weight;
  return sum;
}

StatusOr<double> MeanLoss(std::span<const WeightedLoss> parts) {
  WeightedLoss all;
  for (const WeightedLoss& part : parts) {
    all.sum += part.sum;
    all.weight += part.weight;
  }
  if (all.weight == 0) {
    return InvalidArgumentError(fmt::format(
        "the weights of all {} parts are 0: skip the step, as its loss would "
        "be 0 / 0",
        parts.size()));
  }
  return all.sum / all.weight;
}

}  // namespace penstock
