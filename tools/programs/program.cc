#include "tools/programs/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>
#include <vector>

#include "tools/arguments/completion.h"
#include "tools/arguments/help_text.h"
#include "tools/arguments/man_page.h"
#include "tools/arguments/parse.h"
#include "tools/programs/output.h"
#include "tools/programs/stop_signals.h"

namespace penstock {
namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr int kFirstSignal = 128;

// A closed standard stream would leave its number to the next file that is
// opened, and what is printed would go there. These refuse to be used.
void KeepStandardStreams() {
  for (const int stream : {0, 1, 2}) {
    if (fcntl(stream, F_GETFD) >= 0) continue;
    open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY);
  }
}

// A write that cannot be done is an error then, with a message, not the end of
// the process: the output is closed, or a file grows over the process' limit.
void TurnSignalsIntoErrors() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

// Datasets have thousands of files. What cannot be raised is a line where a
// file cannot be opened, so a failure here is none.
void RaiseOpenFileLimit() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int Report(const std::vector<std::string>& problems, const Program& program,
           const Command& command) {
  for (const std::string& problem : problems) {
    PrintError("{}: {}\n", program.name(), problem);
  }
  PrintError("see `{} --help`\n", command.full_name());
  return kWrongUsage;
}

// What the line asks to know; nothing where it asks to run.
std::optional<std::string> Information(const Program& program,
                                       const Command& command) {
  if (command.help_wanted()) return HelpText(command, HelpWidth());
  if (program.version_wanted()) return PENSTOCK_VERSION "\n";
  if (program.man_wanted()) return ManPage(program);
  if (program.completion_wanted()) {
    return CompletionScript(program, *program.completion_wanted());
  }
  return std::nullopt;
}

}  // namespace

int RunProgram(Program& program, int argc, const char* const* argv) {
  KeepStandardStreams();
  TurnSignalsIntoErrors();
  RaiseOpenFileLimit();
  const ParsedLine line =
      ParseLine(program, {argv + std::min(argc, 1), argv + argc});
  if (!line.problems.empty()) {
    return Report(line.problems, program, *line.command);
  }
  const std::optional<std::string> information =
      Information(program, *line.command);
  Status status = information ? WriteOutput(*information) : line.command->Run();
  status.Update(FinishOutput());
  if (status.ok()) return kDone;
  // The reader of `recordtool cat x | head` has what it wanted.
  if (IsOutputClosed()) return kFirstSignal + SIGPIPE;
  PrintError("{}: {}\n", program.name(), status.message());
  const int signal = StopSignals::caught();
  return signal != 0 ? kFirstSignal + signal : kFailed;
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

}  // namespace penstock
