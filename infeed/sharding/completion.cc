#include "infeed/sharding/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "formats/files/status_or.h"
#include "infeed/sharding/sharding.h"
#include "infeed/sharding/sharding_text.h"

namespace penstock {
namespace {

using Axes = std::vector<std::string>;

// Which axes cut a named dimension, and who said so first.
struct DimensionCut {
  Axes axes;
  std::string tensor;
};

std::string AxesText(const Axes& axes) {
  return axes.empty() ? "no axis" : fmt::format("{}", fmt::join(axes, ","));
}

class Completer {
 public:
  Completer(const Mesh& mesh, const std::vector<NamedTensor>& tensors)
      : mesh_(mesh), tensors_(tensors) {
    for (const NamedTensor& tensor : tensors) {
      completion_.shardings.push_back(
          {.spec = PartitionSpec(tensor.shape.size()),
           .from = std::vector<std::string>(tensor.shape.size())});
    }
  }

  Status Take(const TensorSharding& given) {
    const auto at =
        std::ranges::find(tensors_, given.tensor, &NamedTensor::name);
    if (at == tensors_.end()) {
      std::vector<std::string> names;
      for (const NamedTensor& tensor : tensors_) names.push_back(tensor.name);
      return InvalidArgumentError(
          fmt::format("a sharding is given for {}, but the batch has {}",
                      given.tensor, fmt::join(names, ", ")));
    }
    const auto t = static_cast<size_t>(at - tensors_.begin());
    if (!given_.insert(t).second) {
      return InvalidArgumentError(
          fmt::format("two shardings are given for {}", given.tensor));
    }
    if (given.spec.size() > at->shape.size()) {
      return InvalidArgumentError(fmt::format(
          "the sharding of {} has {} entries, but its shape is [{}]",
          given.tensor, given.spec.size(), fmt::join(at->shape, ", ")));
    }
    PENSTOCK_RETURN_IF_ERROR(Sharding::Create(mesh_, given.spec).status());
    PartitionSpec spec = given.spec;
    spec.resize(at->shape.size());
    for (size_t d = 0; d < spec.size(); ++d) {
      completion_.shardings[t].spec[d] = spec[d];
      completion_.shardings[t].from[d] = given.tensor;
      if (!at->dimensions[d].empty()) Note(*at, d, spec[d]);
    }
    return OkStatus();
  }

  Completion Finish() {
    for (size_t t = 0; t < tensors_.size(); ++t) {
      if (!given_.contains(t)) Carry(t);
    }
    WarnOfIdleAxes();
    WarnOfShortDimensions();
    return std::move(completion_);
  }

 private:
  void Note(const NamedTensor& tensor, size_t d, const Axes& axes) {
    const std::string& name = tensor.dimensions[d];
    const auto [at, first] = cuts_.try_emplace(name, axes, tensor.name);
    if (first || at->second.axes == axes) return;
    completion_.warnings.push_back(fmt::format(
        "{} cuts its {} over {}, {} over {}: what uses both moves one of them "
        "between devices in every step",
        at->second.tensor, name, AxesText(at->second.axes), tensor.name,
        AxesText(axes)));
  }

  void Carry(size_t t) {
    std::set<std::string> used;
    for (size_t d = 0; d < tensors_[t].shape.size(); ++d) {
      const auto cut = cuts_.find(tensors_[t].dimensions[d]);
      if (tensors_[t].dimensions[d].empty() || cut == cuts_.end()) continue;
      const Axes& axes = cut->second.axes;
      if (std::ranges::any_of(
              axes, [&](const auto& axis) { return used.contains(axis); })) {
        continue;
      }
      used.insert(axes.begin(), axes.end());
      completion_.shardings[t].spec[d] = axes;
      completion_.shardings[t].from[d] = cut->second.tensor;
    }
  }

  void WarnOfIdleAxes() {
    for (const MeshAxis& axis : mesh_.axes()) {
      uint64_t bytes = 0;
      bool idle = axis.size > 1;
      for (size_t t = 0; t < tensors_.size(); ++t) {
        uint64_t size = tensors_[t].element_bytes;
        for (const int64_t n : tensors_[t].shape) {
          size *= static_cast<uint64_t>(n);
        }
        bytes += size;
        for (const Axes& axes : completion_.shardings[t].spec) {
          idle = idle && std::ranges::find(axes, axis.name) == axes.end();
        }
      }
      if (!idle) continue;
      completion_.warnings.push_back(fmt::format(
          "no tensor is cut over {}: each byte of the batch goes to {} times "
          "as many devices, {} bytes more than once each",
          axis.name, axis.size, bytes * static_cast<uint64_t>(axis.size - 1)));
    }
  }

  void WarnOfShortDimensions() {
    for (size_t t = 0; t < tensors_.size(); ++t) {
      const NamedTensor& tensor = tensors_[t];
      if (tensor.element_bytes == 0) continue;  // stands for others
      for (size_t d = 0; d < tensor.shape.size(); ++d) {
        int64_t tiles = 1;
        for (const std::string& axis : completion_.shardings[t].spec[d]) {
          tiles *= mesh_.axes()[*mesh_.FindAxis(axis)].size;
        }
        const int64_t size = tensor.shape[d];
        const int64_t shard = (size + tiles - 1) / tiles;
        const int64_t full = shard == 0 ? 0 : (size + shard - 1) / shard;
        if (full == tiles) continue;
        completion_.warnings.push_back(fmt::format(
            "dimension {} of {} has {} places for {} tiles: the last {} hold "
            "padding alone",
            d, tensor.name, size, tiles, tiles - full));
      }
    }
  }

  const Mesh& mesh_;
  const std::vector<NamedTensor>& tensors_;
  std::set<size_t> given_;
  std::map<std::string, DimensionCut> cuts_;
  Completion completion_;
};

}  // namespace

StatusOr<Completion> Complete(const Mesh& mesh,
                              const std::vector<NamedTensor>& tensors,
                              const std::vector<TensorSharding>& given) {
  Completer completer(mesh, tensors);
  for (const TensorSharding& sharding : given) {
    PENSTOCK_RETURN_IF_ERROR(completer.Take(sharding));
  }
  return completer.Finish();
}

}  // namespace penstock
