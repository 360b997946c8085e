#include "infeed/devices/feeder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "infeed/devices/own_slice.h"

namespace penstock {

Status Feeder::Run() const {
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(std::optional<Batch> batch, source.Next());
    counted(source.counts());
    if (!batch) return OkStatus();
    PENSTOCK_RETURN_IF_ERROR(
        Bring(std::make_shared<const Batch>(*std::move(batch))));
  }
}

Status Feeder::Bring(const std::shared_ptr<const Batch>& batch) const {
  std::shared_ptr<const Batch> told = batch;
  if (!devices.empty()) told = WithoutBytes(*batch);
  for (size_t i = 0; i < places.size(); ++i) {
    PENSTOCK_ASSIGN_OR_RETURN(CoreSlice slice,
                              CoreSlice::Create(batch, contract, places[i]));
    PENSTOCK_RETURN_IF_ERROR(queues[i]->AwaitRoom(slice.size_bytes()));
    InfeedItem item = {.slice = slice.Of(told), .pushed_ns = clock.NowNs()};
    if (!devices.empty()) {
      PENSTOCK_ASSIGN_OR_RETURN(
          item.loaded, devices[i]->Transfer(std::move(slice), item.pushed_ns));
    }
    PENSTOCK_RETURN_IF_ERROR(queues[i]->Push(std::move(item)));
  }
  return OkStatus();
}

}  // namespace penstock
