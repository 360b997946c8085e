// A program that runs beside a test.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>

#include "tests/tools/programs/run_program.h"

namespace penstock {

// What it writes goes to the file `output`.
class Running {
 public:
  Running(const std::string& arguments, std::string output)
      : output_(std::move(output)) {
    const std::string line = fmt::format("exec {}/{} > {} 2>&1",
                                         PENSTOCK_BIN_DIR, arguments, output_);
    std::string shell = "sh";
    std::string flag = "-c";
    std::string command = line;
    char* argv[] = {shell.data(), flag.data(), command.data(), nullptr};
    EXPECT_EQ(posix_spawn(&pid_, "/bin/sh", nullptr, nullptr, argv, environ),
              0);
  }

  bool HasEnded() const {
    siginfo_t info = {};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    return info.si_pid != 0;
  }

  void Send(int signal) const { kill(pid_, signal); }

  // Until the file is there, or it has ended.
  void AwaitFile(const std::filesystem::path& path) const {
    while (!std::filesystem::exists(path) && !HasEnded()) {
    }
  }

  // Until it has a file open whose path contains `words`.
  void AwaitOpen(const std::string& words) const {
    const std::string folder = fmt::format("/proc/{}/fd", pid_);
    while (!HasEnded()) {
      std::error_code gone;
      std::filesystem::directory_iterator file(folder, gone);
      while (!gone && file != std::filesystem::directory_iterator()) {
        std::error_code closed;
        const auto target = std::filesystem::read_symlink(file->path(), closed);
        if (target.string().find(words) != std::string::npos) return;
        file.increment(gone);
      }
    }
  }

  // Its exit code, and the last line it wrote.
  Outcome Wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    Outcome outcome = RunShell("tail -n 1 " + output_);
    outcome.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return outcome;
  }

 private:
  const std::string output_;
  pid_t pid_ = 0;
};

}  // namespace penstock
