// What each host loads of a batch so that each of its devices gets its shards:
// computed from mesh and ownership, never from a host's number.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "infeed/sharding/device_hosts.h"
#include "infeed/sharding/sharding.h"
#include "infeed/sharding/slice_layout.h"

namespace penstock {

// A tensor of the global batch: rows first.
struct ShardedTensor {
  std::string name;
  std::vector<int64_t> shape;
  uint64_t element_bytes = 4;
  Sharding sharding;
  std::string spec = {};  // as the user wrote it, for reports
};

// How a device's part of a tensor leaves the host.
enum class SliceForm {
  kNothing,      // no element is the device's: padding alone
  kView,         // neighbouring bytes, no copy
  kStridedView,  // runs of bytes, no copy where the device takes strides
  kPaddedCopy,   // a copy filled up to the shape of a whole shard
};

struct DeviceSlice {
  uint32_t device = 0;
  std::vector<IndexRange> ranges;  // of the global tensor
  int64_t replica = 0;             // 0 is the copy that counts
  SliceForm form = SliceForm::kView;
  // Within the rows that the host loads, one block after the other.
  SliceLayout layout;
};

// One tensor on one host.
struct HostTensor {
  // For each dimension what the host's devices need, coalesced, rising.
  std::vector<std::vector<IndexRange>> ranges;
  // False where the devices need less than the product of `ranges`.
  bool product = true;
  std::vector<DeviceSlice> devices;  // rising
  uint64_t loaded_bytes = 0;         // product of `ranges`: each byte once
  uint64_t transfer_bytes = 0;       // to all devices, padding included
  // What packed copies write where the device takes no strides; devices with
  // the same slice share one.
  uint64_t packed_bytes = 0;
};

struct HostLoad {
  uint32_t host = 0;
  std::vector<HostTensor> tensors;  // in the order given
};

struct LoadPlan {
  std::vector<ShardedTensor> tensors;
  std::vector<HostLoad> hosts;
  // For each tensor the groups of hosts that load the same part of it: their
  // bytes must be equal. Groups of one are left out.
  std::vector<std::vector<std::vector<uint32_t>>> replica_hosts;
  // In words: what is loaded more often, or of what more, than it must.
  std::vector<std::string> warnings;
};

// Errors:  kInvalidArgument for a sharding of another number of devices than
//          `hosts` has, or of more dimensions than its tensor.
// Cost:    tensors x devices x dimensions.
StatusOr<LoadPlan> PlanLoads(std::vector<ShardedTensor> tensors,
                             const DeviceHosts& hosts);

// For people: for each tensor its sharding, shards and bytes, and what each
// host loads and hands out; then the warnings. Hosts and devices beyond a few
// are counted.
std::string ExplainLoads(const LoadPlan& plan);
// For programs, all of it: {"tensors": [...], "warnings": [...]}.
std::string LoadsJson(const LoadPlan& plan);

std::string_view SliceFormName(SliceForm form);  // "view", "strided view" ...

}  // namespace penstock
