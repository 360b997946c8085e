// The figures of a run, read over a socket as Prometheus does.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <string>

#include "tests/tools/programs/run_program.h"
#include "tests/tools/programs/running_program.h"
#include "tests/tools/programs/small_dataset.h"

namespace penstock {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

// A connection to a port of this machine; not open where nobody listens.
class Connection {
 public:
  explicit Connection(uint16_t port)
      : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to = {};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    open_ = connect(socket_, reinterpret_cast<const sockaddr*>(&to),
                    sizeof to) == 0;
  }
  ~Connection() { close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool is_open() const { return open_; }
  void Send(const std::string& bytes) const {
    EXPECT_EQ(send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  // Until the other side closes.
  std::string ReadAll() const {
    std::string all;
    char block[4096];
    for (ssize_t n; (n = recv(socket_, block, sizeof block, 0)) > 0;) {
      all.append(block, static_cast<size_t>(n));
    }
    return all;
  }

 private:
  const int socket_;
  bool open_;
};

class MetricsTest : public SmallDatasetTest {
 protected:
  std::string Run() {
    return fmt::format(
        "infeedsim {} --by tokens --buckets 64,128,256 --batch 16 --cores 8 "
        "--hosts 2 --step-time 2 --compile-time 0 --epochs 0 --streamed "
        "--metrics 0",
        MakeDataset());
  }

  // The port that it says it listens on.
  uint16_t PortOf(const Running& run) {
    const std::string words = "figures at http://127.0.0.1:";
    while (true) {
      const bool ended = run.HasEnded();
      const std::string output = folder_.Read("out");
      const size_t at = output.find(words);
      const size_t end = output.find("/metrics\n");
      if (at != std::string::npos && end != std::string::npos) {
        return static_cast<uint16_t>(
            std::stoi(output.substr(at + words.size())));
      }
      if (!ended) continue;
      ADD_FAILURE() << output;
      return 0;
    }
  }

  static std::string Ask(uint16_t port, const std::string& request) {
    const Connection connection(port);
    EXPECT_TRUE(connection.is_open());
    connection.Send(request);
    return connection.ReadAll();
  }
  static std::string Get(uint16_t port) {
    return Ask(port, "GET /metrics HTTP/1.1\r\nHost: here\r\n\r\n");
  }

  // Each sample with its labels. Checks the form: lines of the right kinds,
  // each family's help and type before it, counters that end with _total.
  static std::map<std::string, double> Parse(const std::string& answer) {
    std::map<std::string, double> samples;
    std::map<std::string, std::string> types;
    const size_t head = answer.find("\r\n\r\n");
    EXPECT_NE(head, std::string::npos) << answer;
    std::istringstream body(answer.substr(head + 4));
    std::string family;
    for (std::string line; std::getline(body, line);) {
      std::istringstream words(line);
      std::string hash, keyword;
      if (line.starts_with("# HELP ")) {
        words >> hash >> keyword >> family;
        EXPECT_FALSE(types.contains(family)) << "told twice: " << family;
        continue;
      }
      if (line.starts_with("# TYPE ")) {
        std::string name;
        words >> hash >> keyword >> name;
        EXPECT_EQ(name, family);
        words >> types[name];
        EXPECT_EQ(types[name] == "counter", name.ends_with("_total")) << name;
        EXPECT_TRUE(types[name] == "counter" || types[name] == "gauge");
        continue;
      }
      EXPECT_THAT(
          line, MatchesRegex("[a-z_]+(\\{[a-z]+=\"[a-z0-9]+\"(,[a-z]+=\"[a-z0-"
                             "9]+\")*\\})? [0-9.e+-]+"));
      EXPECT_EQ(line.substr(0, line.find_first_of("{ ")), family);
      EXPECT_TRUE(types.contains(family)) << line;
      const size_t space = line.rfind(' ');
      EXPECT_TRUE(
          samples
              .emplace(line.substr(0, space), std::stod(line.substr(space + 1)))
              .second)
          << "given twice: " << line;
    }
    return samples;
  }
};

TEST_F(MetricsTest, ARunTellsItsFiguresInPrometheusTextForm) {
  const Running run(Run(), folder_ / "out");
  const uint16_t port = PortOf(run);
  ASSERT_NE(port, 0);
  std::map<std::string, double> samples;
  std::string answer;
  do {
    answer = Get(port);
    samples = Parse(answer);
  } while (samples["infeedsim_steps_total"] < 20 && !run.HasEnded());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/plain; version=0.0.4; "
                                "charset=utf-8\r\n"));
  EXPECT_EQ(samples["infeedsim_running"], 1);
  EXPECT_EQ(samples["infeedsim_queue_depth_batches"], 2);
  for (int device = 0; device < 8; ++device) {
    const auto queue = samples.find(
        fmt::format("infeedsim_queue_batches{{host=\"{}\",device=\"{}\"}}",
                    device / 4, device));
    ASSERT_NE(queue, samples.end()) << device;
    EXPECT_LE(queue->second, 2);
  }
  EXPECT_GT(samples["infeedsim_rows_total{kind=\"real\"}"], 0);
  EXPECT_GT(samples["infeedsim_tokens_total{kind=\"padding\"}"], 0);
  EXPECT_TRUE(samples.contains("infeedsim_records_read_total{host=\"1\"}"));
  EXPECT_TRUE(samples.contains(
      "infeedsim_stage_busy_seconds_total{host=\"0\",stage=\"build\"}"));
  std::map<std::string, double> later = Parse(Get(port));
  for (const auto& [name, value] : samples) {
    if (name.find("_total") == std::string::npos) continue;
    EXPECT_GE(later[name], value) << name << " is a counter";
  }
  run.Send(SIGTERM);
  run.Wait();
}

TEST_F(MetricsTest, WhatIsNotAskedForRightIsRefused) {
  const Running run(Run(), folder_ / "out");
  const uint16_t port = PortOf(run);
  ASSERT_NE(port, 0);
  EXPECT_THAT(Ask(port, "GET / HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 404 "), HasSubstr("GET /metrics")));
  EXPECT_THAT(Ask(port, "POST /metrics HTTP/1.1\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 405 "), HasSubstr("Allow: GET")));
  EXPECT_THAT(Ask(port, "nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask(port, std::string(9000, 'x')), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask(port, "HEAD /metrics?x=y HTTP/1.0\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200 "), EndsWith("\r\n\r\n")));
  const Outcome taken = RunProgramLine(
      fmt::format("infeedsim {} --by tokens --buckets 256 --batch 16 "
                  "--metrics {}",
                  folder_ / "data/small-train.tfrecord@4", port));
  EXPECT_EQ(taken.exit_code, 1);
  EXPECT_THAT(taken.output,
              HasSubstr(fmt::format("--metrics: cannot listen on "
                                    "127.0.0.1:{}: Address already in use",
                                    port)));
  run.Send(SIGTERM);
  run.Wait();
}

TEST_F(MetricsTest, ThePortIsClosedOnEveryWayOutWhoeverIsConnected) {
  const std::string line = Run();
  for (const std::string how : {"end", "signal", "error"}) {
    std::filesystem::remove(folder_ / "out");
    folder_.Write("out", "");
    const Running run(
        line + (how == "end" ? " --max-steps 300" : "") +
            (how == "error" ? " --compile-budget 1 --watchdog 60" : ""),
        folder_ / "out");
    const uint16_t port = PortOf(run);
    const Connection idle(port);  // says nothing, or half a request
    if (how == "signal" && idle.is_open()) {
      idle.Send("GET /met");
      run.Send(SIGTERM);
    }
    const int exit_code = run.Wait().exit_code;
    EXPECT_EQ(exit_code, how == "end" ? 0 : how == "error" ? 1 : 128 + SIGTERM);
    EXPECT_FALSE(Connection(port).is_open()) << how;
  }
}

}  // namespace
}  // namespace penstock
