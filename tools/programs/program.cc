#include "tools/programs/program.h"

#include <fmt/format.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <map>

namespace penstock {

int RunProgram(CLI::App& app, int argc, char** argv,
               FunctionRef<Status()> run) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  // A file that grows over the limit of the process is an error as a full disk
  // is, not a signal that kills.
  std::signal(SIGXFSZ, SIG_IGN);
  const Status status = run();
  std::fflush(stdout);
  if (!status.ok()) {
    fmt::print(stderr, "{}: {}\n", app.get_name(),
               std::string(status.message()));
    return 1;
  }
  return 0;
}

std::string WithCommas(uint64_t number) {
  std::string digits = std::to_string(number);
  for (int place = static_cast<int>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<size_t>(place), ",");
  }
  return digits;
}

std::string HumanBytes(double bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB",
                                                        "GiB", "TiB"};
  size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes)
                   : fmt::format("{:.2f} {}", bytes, kUnits[unit]);
}

std::map<std::string, FeatureEncoding> TokenEncodings() {
  return {{"int64", FeatureEncoding::kPlain},
          {"uint16", FeatureEncoding::kUint16},
          {"uint32", FeatureEncoding::kUint32}};
}

CLI::Validator ByteSize() {
  return CLI::AsNumberWithUnit(
      std::map<std::string, uint64_t>{
          {"KiB", 1ull << 10}, {"MiB", 1ull << 20}, {"GiB", 1ull << 30}},
      CLI::AsNumberWithUnit::DEFAULT, "BYTES");
}

}  // namespace penstock
