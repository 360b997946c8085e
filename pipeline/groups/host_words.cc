#include "pipeline/groups/host_words.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace penstock {

std::string NameOfHost(uint32_t host, std::string_view who) {
  return who.empty() ? fmt::format("host {}", host)
                     : fmt::format("host {} ({})", host, who);
}

Status SilentHostError(uint32_t host, std::string_view who,
                       const HostTimes& times) {
  return UnavailableError(fmt::format(
      "{} gave no sign of life for {:.3g} s: it was stopped, its "
      "machine is gone, or the network between",
      NameOfHost(host, who), static_cast<double>(times.silence_ns) * 1e-9));
}

int64_t BeatPeriodNs(const HostTimes& times) {
  return std::min<int64_t>(times.silence_ns / 4, 5'000'000'000);
}

std::string ThisProcess() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) name[0] = '\0';
  return fmt::format("{}, process {}", name.data(), getpid());
}

}  // namespace penstock
