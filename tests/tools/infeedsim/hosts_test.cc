// infeedsim with a process for each host, as a launcher starts them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "formats/files/crc32c.h"
#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/running_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class HostsTest : public SmallDatasetTest {
 protected:
  void SetUp() override {
    const Outcome asked = RunProgramLine(
        "infeedsim x --by t --join grpc --hosts 1 --host 0 --coordinator " +
        Address());
    if (asked.output.find("built without gRPC") != std::string::npos) {
      GTEST_SKIP() << "skipped: built without gRPC (tools/setup --hosts, "
                      "-DPENSTOCK_GRPC=ON)";
    }
  }

  std::string Address() { return "unix:" + (folder_ / "meet"); }

  using Change = std::function<std::string(uint32_t host)>;

  // Starts every host; `change` gives what a host alone is told.
  std::vector<Running> Start(uint32_t hosts, const std::string& line,
                             const Change& change = {}) {
    std::vector<Running> all;
    for (uint32_t h = 0; h < hosts; ++h) {
      all.emplace_back(
          fmt::format("{} --coordinator {} --hosts {} --host {} {}", line,
                      Address(), hosts, h, change ? change(h) : std::string()),
          folder_ / fmt::format("out{}", h));
    }
    return all;
  }

  nlohmann::json RunAll(uint32_t hosts, const std::string& line) {
    const std::string name = "report.json";
    for (const Running& host :
         Start(hosts, fmt::format("{} --json {}", line, folder_ / name))) {
      const Outcome outcome = host.Wait();
      EXPECT_EQ(outcome.exit_code, 0) << outcome.output;
    }
    return nlohmann::json::parse(folder_.Read(name), nullptr, false);
  }

  // The last line of all hosts but `without`, which must be the same, with exit
  // code 1.
  std::string EndOfAll(const std::vector<Running>& hosts,
                       std::optional<uint32_t> without = std::nullopt) {
    std::set<std::string> ends;
    for (uint32_t h = 0; h < hosts.size(); ++h) {
      if (h == without) continue;
      const Outcome outcome = hosts[h].Wait();
      EXPECT_EQ(outcome.exit_code, 1) << "host " << h;
      ends.insert(outcome.output);
    }
    EXPECT_EQ(ends.size(), 1u) << ::testing::PrintToString(ends);
    return *ends.begin();
  }

  static uint64_t Digest(const nlohmann::json& report) {
    return std::stoull(report.at("batch_digest").get<std::string>(), nullptr,
                       16);
  }
};

TEST_F(HostsTest, ProcessesGiveTheBatchesOfThreads) {
  const std::string line = SimulationOf(MakeDataset()) + " --epochs 2";
  const std::string whole = folder_ / "whole.json";
  ASSERT_EQ(RunProgramLine(fmt::format("{} --hosts 4 --json {}", line, whole))
                .exit_code,
            0);
  const auto threads = nlohmann::json::parse(folder_.Read("whole.json"));
  for (const std::string how : {"", " --streamed"}) {
    const auto processes = RunAll(4, line + how);
    EXPECT_EQ(processes.at("processes"), 4);
    EXPECT_EQ(processes.at("hosts"), 4);
    for (const std::string same :
         {"batch_digest", "record_digest", "epochs", "steps", "shapes"}) {
      EXPECT_EQ(processes.at(same), threads.at(same)) << same << how;
    }
    EXPECT_EQ(processes.at("cores").size(), 8u);
    EXPECT_EQ(processes.at("cores").at(7).at("host"), 3);
  }
}

TEST_F(HostsTest, AfterAKillARunGoesOnExactlyWithOtherNumbersOfProcesses) {
  const std::string line = SimulationOf(MakeDataset()) + " --epochs 3";
  const uint64_t whole = Digest(RunAll(4, line));
  const std::string state = folder_ / "run.state";
  const uint64_t begun =
      Digest(RunAll(4, line + " --max-steps 10 --state-out " + state));
  const std::string rest = line + " --state-in " + state;
  {
    const auto hosts = Start(4, rest + " --streamed");
    hosts[3].AwaitOpen("small-train.tfrecord");
    hosts[3].Send(SIGKILL);
    hosts[3].Wait();
    for (uint32_t h = 0; h < 3; ++h) hosts[h].Wait();
  }
  EXPECT_EQ(begun + Digest(RunAll(2, rest)), whole);
  EXPECT_EQ(begun + Digest(RunAll(3, rest + " --streamed")), whole);
}

class HostsEndTest : public HostsTest {
 protected:
  // A run that ends by itself in an hour.
  std::string Long() {
    return fmt::format(
        "infeedsim {} --by tokens --buckets 64,128,256 --batch 16 --cores 8 "
        "--step-time 100 --compile-time 0 --epochs 0",
        MakeDataset());
  }
};

TEST_F(HostsEndTest, AHostIsKilled) {
  const auto hosts = Start(4, Long());
  for (const Running& host : hosts) host.AwaitOpen("small-train.tfrecord");
  hosts[2].Send(SIGKILL);
  EXPECT_THAT(EndOfAll(hosts, 2),
              AllOf(HasSubstr("host 2 ("), HasSubstr("died")));
  EXPECT_EQ(hosts[2].Wait().exit_code, -1);
}

TEST_F(HostsEndTest, AKilledHostLeavesACheckpointThatOtherNumbersGoOnFrom) {
  const std::string dataset = MakeDataset();
  const std::string line = SimulationOf(dataset) + " --epochs 0";
  const std::filesystem::path saved = folder_ / "saved";
  const std::string save =
      " --keep 1000000 --checkpoint-every 3 --checkpoint " + saved.string();
  const auto hosts = Start(4, line + save);
  hosts[2].AwaitFile(saved / "step-000000000006/COMMIT");
  hosts[2].Send(SIGKILL);
  EndOfAll(hosts, 2);
  hosts[2].Wait();
  uint64_t last = 0;
  for (const auto& step : std::filesystem::directory_iterator(saved)) {
    if (!std::filesystem::exists(step.path() / "COMMIT")) continue;
    last = std::max<uint64_t>(
        last, std::stoull(step.path().filename().string().substr(5)));
  }
  EXPECT_GE(last, 6u);
  const uint64_t rest = Digest(RunAll(3, line + save + " --max-steps 5"));
  EXPECT_EQ(rest,
            Digest(RunAll(2, fmt::format("{} --max-steps 5 --after-step {}",
                                         line, last))));
}

// A notice to one of the processes: all save behind the same step.
TEST_F(HostsEndTest, ASignalToOneProcessStopsAndSavesAllBehindTheSameStep) {
  const std::filesystem::path saved = folder_ / "saved";
  const auto hosts =
      Start(3, fmt::format("{} --checkpoint-every 2 --keep 2 --checkpoint {}",
                           Long(), saved.string()));
  hosts[1].AwaitFile(saved / "step-000000000002/COMMIT");
  hosts[1].Send(SIGTERM);
  for (const Running& host : hosts) host.Wait();
  uint64_t committed = 0;
  for (const auto& step : std::filesystem::directory_iterator(saved)) {
    committed += std::filesystem::exists(step.path() / "COMMIT") ? 1 : 0;
  }
  EXPECT_EQ(committed, 2u);
  EXPECT_EQ(
      RunAll(2, SimulationOf(folder_ / "data/small-train.tfrecord@4") +
                    " --epochs 0 --max-steps 1 --checkpoint " + saved.string())
          .at("steps"),
      1);
}

TEST_F(HostsEndTest, TheCoordinatorIsKilled) {
  const auto hosts = Start(4, Long());
  for (const Running& host : hosts) host.AwaitOpen("small-train.tfrecord");
  hosts[0].Send(SIGKILL);
  EXPECT_THAT(EndOfAll(hosts, 0),
              AllOf(HasSubstr("host 0 ("), HasSubstr("died")));
  hosts[0].Wait();
}

// Also the one that is stopped, once it goes on.
TEST_F(HostsEndTest, AHostIsStopped) {
  const std::string line = Long();
  for (const uint32_t stopped : {1u, 0u}) {
    const auto hosts =
        Start(4, line, [](uint32_t) { return "--host-timeout 2"; });
    for (const Running& host : hosts) host.AwaitOpen("small-train.tfrecord");
    hosts[stopped].Send(SIGSTOP);
    const std::string end = EndOfAll(hosts, stopped);
    EXPECT_THAT(end, AllOf(HasSubstr(fmt::format("host {} (", stopped)),
                           HasSubstr("no sign of life for 2 s")));
    hosts[stopped].Send(SIGCONT);
    EXPECT_EQ(hosts[stopped].Wait().output, end);
  }
}

TEST_F(HostsEndTest, AHostLacksAnIndexHasOtherDataOrNone) {
  const std::string line = Long();
  const std::string other = folder_ / "other";
  std::filesystem::copy(folder_ / "data", other,
                        std::filesystem::copy_options::recursive);
  const auto ended = [&](const std::string& data) {
    // The pattern is the second word.
    const auto run = [&](uint32_t host) {
      const size_t begin = line.find(' ') + 1;
      return line.substr(0, begin) +
             (host == 1 ? data
                        : line.substr(begin, line.find(' ', begin) - begin)) +
             line.substr(line.find(' ', begin));
    };
    std::vector<Running> hosts;
    for (uint32_t h = 0; h < 3; ++h) {
      hosts.emplace_back(fmt::format("{} --coordinator {} --hosts 3 --host {}",
                                     run(h), Address(), h),
                         folder_ / fmt::format("out{}", h));
    }
    return EndOfAll(hosts);
  };
  EXPECT_THAT(ended(folder_ / "nowhere.tfrecord"),
              AllOf(HasSubstr("host 1: "), HasSubstr("nowhere.tfrecord")));
  for (const auto& file : std::filesystem::directory_iterator(other)) {
    if (file.path().extension() == ".index") {
      std::filesystem::remove(file.path());
    }
  }
  EXPECT_THAT(ended(other + "/small-train.tfrecord@4"), HasSubstr("index"));
  const Outcome upper = RunShell(fmt::format(
      "tr a-z A-Z < {} > {}", folder_ / "corpus.txt", folder_ / "other.txt"));
  ASSERT_EQ(upper.exit_code, 0);
  const Outcome made = RunProgramLine(
      fmt::format("datagen --input {} --output {} --name small --unit line "
                  "--tokenizer bytes --shards 4 --quiet --overwrite",
                  folder_ / "other.txt", other));
  ASSERT_EQ(made.exit_code, 0) << made.output;
  EXPECT_THAT(ended(other + "/small-train.tfrecord@4"),
              HasSubstr("differ in the data"));
}

// The first of the letters of a record that lies between two samples of a file
// (formats/files/file_sample.h) becomes another, and its checksum that of it.
void ChangeBetweenSamples(const std::string& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  constexpr size_t kSample = 4096;
  const size_t step = (bytes.size() - kSample) / 15;
  for (size_t at = 0; at < bytes.size();) {
    uint64_t length = 0;
    std::memcpy(&length, &bytes[at], sizeof(length));
    const size_t begin = at + 12;
    const size_t end = begin + length;
    at = end + 4;
    const size_t sample = at / step * step;
    if (at < bytes.size() / 2 || begin < sample + kSample + 64) continue;
    const size_t letter = bytes.find("xxxxxxxx", begin);
    if (letter >= end) continue;
    ASSERT_LT(at + 64, sample + step) << "no record between samples";
    bytes[letter] = 'X';
    const uint32_t checksum =
        MaskCrc32c(Crc32c(std::string_view(bytes).substr(begin, length)));
    std::memcpy(&bytes[end], &checksum, sizeof(checksum));
    file.seekp(0);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return;
  }
  FAIL() << "no record of x";
}

// Past what hosts compare at the start, hosts 0 and 1 feed the same rows.
TEST_F(HostsEndTest, AFileOfAReplicaDiffersInTheMiddle) {
  std::string text;
  for (int i = 0; i < 8000; ++i) {
    text += std::string(40 + i * 37 % 60, static_cast<char>('a' + i % 26));
    text += "\n";
  }
  folder_.Write("corpus.txt", text);
  ASSERT_EQ(RunProgramLine(
                fmt::format("datagen --input {} --output {} --name small "
                            "--unit line --tokenizer bytes --shards 1 --quiet",
                            folder_ / "corpus.txt", folder_ / "data"))
                .exit_code,
            0);
  std::filesystem::copy(folder_ / "data", folder_ / "other",
                        std::filesystem::copy_options::recursive);
  const std::string name = "small-train.tfrecord-00000-of-00001";
  const auto written =
      std::filesystem::last_write_time(folder_ / "data/" + name);
  ChangeBetweenSamples(folder_ / "other/" + name);
  std::filesystem::last_write_time(folder_ / "other/" + name, written);
  std::vector<Running> hosts;
  for (uint32_t h = 0; h < 4; ++h) {
    hosts.emplace_back(
        fmt::format("infeedsim {}/small-train.tfrecord@1 --by tokens --buckets "
                    "100 --batch 16 --mesh data=2,model=4 "
                    "--step-time 0 --compile-time 0 --verify-replicas 1 "
                    "--coordinator {} --hosts 4 --host {}",
                    folder_ / (h == 1 ? "other" : "data"), Address(), h),
        folder_ / fmt::format("out{}", h));
  }
  EXPECT_THAT(EndOfAll(hosts),
              HasSubstr("hosts 0 and 1 feed different tokens (record "));
}

TEST_F(HostsEndTest, AHostNeverComes) {
  const std::string line = Long() + " --join-timeout 0.5";
  std::vector<Running> hosts;
  for (uint32_t h = 0; h < 2; ++h) {
    hosts.emplace_back(fmt::format("{} --coordinator {} --hosts 3 --host {}",
                                   line, Address(), h),
                       folder_ / fmt::format("out{}", h));
  }
  // Host 1 may come late, too: then it hears of that.
  EXPECT_THAT(EndOfAll(hosts),
              AllOf(HasSubstr("of 3 hosts these have not come within 0.5 s: "),
                    EndsWith("2\n")));
}

TEST_F(HostsTest, MpirunStartsThem) {
  if (RunShell("command -v mpirun").exit_code != 0) {
    GTEST_SKIP() << "skipped: no mpirun (tools/setup --hosts)";
  }
  const std::string line = SimulationOf(MakeDataset());
  const uint64_t whole = Digest(RunAll(1, line));
  // Loopback and shared memory alone.
  const std::string mpirun =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_btl=self,vader OMPI_MCA_oob_tcp_if_include=lo "
      "OMPI_MCA_btl_vader_single_copy_mechanism=none "
      "mpirun --oversubscribe -np 4 ";
  for (const std::string join : {"auto", "mpi"}) {
    for (const std::string how : {"", " --streamed"}) {
      const Outcome run = RunShell(
          fmt::format("{} {}/{}{} --join {} --json {} 2>&1", mpirun,
                      PENSTOCK_BIN_DIR, line, how, join, folder_ / "a.json"));
      if (run.output.find("built without MPI") != std::string::npos) continue;
      ASSERT_EQ(run.exit_code, 0) << run.output;
      EXPECT_THAT(run.output, HasSubstr("4 hosts in 4 processes"));
      EXPECT_EQ(Digest(nlohmann::json::parse(folder_.Read("a.json"))), whole);
    }
  }
}

TEST(TopologyTest, WhatWasSeenIsExplained) {
  const Outcome slurm = RunShell(fmt::format(
      "SLURM_JOB_ID=1234567 SLURM_STEP_NODELIST='node[001-004]' SLURM_NTASKS=4 "
      "SLURM_PROCID=2 SLURM_LOCALID=0 {}/infeedsim x --by t "
      "--explain-topology 2>&1",
      PENSTOCK_BIN_DIR));
  EXPECT_EQ(slurm.exit_code, 0);
  EXPECT_THAT(slurm.output,
              AllOf(HasSubstr("host 2 of 4, told by Slurm; host 0 coordinates "
                              "at node001:63111"),
                    HasSubstr("Open MPI: not seen")));
  const Outcome half = RunShell(
      fmt::format("SLURM_JOB_ID=7 SLURM_NTASKS=4 {}/infeedsim x --by t 2>&1",
                  PENSTOCK_BIN_DIR));
  EXPECT_EQ(half.exit_code, 1);
  EXPECT_THAT(half.output, HasSubstr("SLURM_PROCID and SLURM_LOCALID is not "
                                     "set: start it with srun"));
}

}  // namespace
}  // namespace penstock
