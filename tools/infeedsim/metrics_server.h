// Answers GET /metrics over HTTP while it lives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

// One request a connection, one connection at a time, on a thread of its own;
// who does not send a whole request, or does not take the answer, within 5 s
// is cut off. Nobody is asked who they are: the default address is seen from
// this machine alone.
class MetricsServer {
 public:
  // Listens on `address`, a number of IPv4 or IPv6; port 0 is any that is free.
  // `text` is called on the thread for each answer.
  // Errors:  kInvalidArgument for another address; kUnavailable for a port that
  //          cannot be had; kResourceExhausted without a thread.
  static StatusOr<std::unique_ptr<MetricsServer>> Start(
      const std::string& address, uint16_t port,
      std::function<std::string()> text);
  // Ends what is under way and closes the port.
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  // "http://127.0.0.1:9090/metrics"
  const std::string& url() const { return url_; }

 private:
  explicit MetricsServer(std::function<std::string()> text)
      : text_(std::move(text)) {}

  Status Listen(const std::string& address, uint16_t port);
  void Serve() const;
  void Answer(int connection) const;
  std::string AnswerTo(std::string_view request) const;
  // Until `descriptor` is ready for `events`; false where it does not get so in
  // time, or all is to end.
  bool Await(int descriptor, short events, int64_t until_ns) const;

  const std::function<std::string()> text_;
  int listener_ = -1;
  int end_ = -1;  // readable once all is to end
  std::string url_;
  std::jthread thread_;
};

}  // namespace penstock
