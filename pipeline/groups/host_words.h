// What is said of hosts, the same wherever it is said.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/files/status.h"
#include "pipeline/groups/grpc_group.h"

namespace penstock {

// "host 2 (node7, process 123)".
std::string NameOfHost(uint32_t host, std::string_view who);
// Of a host that is silent.
Status SilentHostError(uint32_t host, std::string_view who,
                       const HostTimes& times);
// How often signs of life are given.
int64_t BeatPeriodNs(const HostTimes& times);

// "node7, process 123".
std::string ThisProcess();

}  // namespace penstock
