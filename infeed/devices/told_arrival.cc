#include "infeed/devices/told_arrival.h"

#include <nlohmann/json.hpp>

namespace penstock {
namespace {

constexpr size_t kFields = 8;

}  // namespace

std::string TellArrivals(const std::vector<ToldArrival>& arrivals,
                         bool stop_soon) {
  nlohmann::json told = {stop_soon};
  for (const ToldArrival& arrival : arrivals) {
    told.push_back({arrival.device, arrival.at_end, arrival.step, arrival.shape,
                    arrival.ready_ns, arrival.compile_ns,
                    static_cast<int>(arrival.status.code()),
                    std::string(arrival.status.message())});
  }
  return told.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

StatusOr<ToldArrivals> HearArrivals(std::string_view told) {
  const Status bad = InternalError("a host tells of devices in other words");
  const auto json = nlohmann::json::parse(told, nullptr, false);
  if (!json.is_array() || json.empty() || !json[0].is_boolean()) return bad;
  ToldArrivals heard = {.stop_soon = json[0].get<bool>()};
  for (size_t i = 1; i < json.size(); ++i) {
    const auto& one = json[i];
    if (!one.is_array() || one.size() != kFields || !one[1].is_boolean() ||
        !one[7].is_string()) {
      return bad;
    }
    for (const size_t number : {0, 2, 3, 4, 5, 6}) {
      if (!one[number].is_number_integer()) return bad;
    }
    heard.arrivals.push_back(
        {.device = one[0],
         .arrived = true,
         .at_end = one[1],
         .step = one[2],
         .shape = one[3],
         .ready_ns = one[4],
         .compile_ns = one[5],
         .status = Status(static_cast<StatusCode>(one[6].get<int>()),
                          one[7].get<std::string>())});
  }
  return heard;
}

}  // namespace penstock
