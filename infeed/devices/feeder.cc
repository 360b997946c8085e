#include "infeed/devices/feeder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "formats/files/status_or.h"

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
  for (size_t i = 0; i < places.size(); ++i) {
    PENSTOCK_ASSIGN_OR_RETURN(CoreSlice slice,
                              CoreSlice::Create(batch, contract, places[i]));
    PENSTOCK_RETURN_IF_ERROR(queues[i]->AwaitRoom(slice.size_bytes()));
    const int64_t now_ns = clock.NowNs();
    int64_t ready_ns = now_ns;
    if (!devices.empty()) {
      PENSTOCK_ASSIGN_OR_RETURN(const Work transfer,
                                devices[i]->Transfer(slice, now_ns));
      ready_ns = transfer.end_ns;
    }
    const Status pushed = queues[i]->Push(
        {.slice = slice, .pushed_ns = now_ns, .ready_ns = ready_ns});
    if (!pushed.ok()) {
      undelivered(std::move(slice));
      return pushed;
    }
  }
  return OkStatus();
}

}  // namespace penstock
