#include "tools/infeedsim/metrics_server.h"

#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "formats/files/start_thread.h"
#include "infeed/queues/clock.h"

namespace penstock {
namespace {

constexpr size_t kMostRequestBytes = 8192;
constexpr int64_t kPatienceNs = 5'000'000'000;
constexpr int kWaiting = 16;  // connections that nobody has taken yet

Status NoPort(const std::string& address, uint16_t port, int error) {
  return UnavailableError(fmt::format("--metrics: cannot listen on {}:{}: {}",
                                      address, port, std::strerror(error)));
}

std::string Response(std::string_view status, std::string_view type,
                     std::string_view body, std::string_view more = "") {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}"
      "Connection: close\r\n\r\n{}",
      status, type, body.size(), more, body);
}

std::string Refusal(std::string_view status, std::string_view more = "") {
  return Response(status, "text/plain; charset=utf-8",
                  fmt::format("{}; GET /metrics is answered\n", status), more);
}

}  // namespace

StatusOr<std::unique_ptr<MetricsServer>> MetricsServer::Start(
    const std::string& address, uint16_t port,
    std::function<std::string()> text) {
  std::unique_ptr<MetricsServer> server(new MetricsServer(std::move(text)));
  PENSTOCK_RETURN_IF_ERROR(server->Listen(address, port));
  PENSTOCK_ASSIGN_OR_RETURN(
      server->thread_, StartThread([self = server.get()] { self->Serve(); }));
  return server;
}

MetricsServer::~MetricsServer() {
  if (thread_.joinable()) {
    eventfd_write(end_, 1);
    thread_.join();
  }
  if (listener_ >= 0) close(listener_);
  if (end_ >= 0) close(end_);
}

Status MetricsServer::Listen(const std::string& address, uint16_t port) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int wrong = getaddrinfo(address.c_str(), std::to_string(port).c_str(),
                                &hints, &found);
  if (wrong != 0) {
    return InvalidArgumentError(fmt::format(
        "--metrics-address: \"{}\" is no address of IPv4 or IPv6", address));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found,
                                                             freeaddrinfo);
  listener_ = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  end_ = eventfd(0, EFD_CLOEXEC);
  const int yes = 1;
  sockaddr_storage bound = {};
  socklen_t size = sizeof bound;
  auto* const at = reinterpret_cast<sockaddr*>(&bound);
  // Of connections that ended a moment ago nothing is left to fear.
  if (listener_ < 0 || end_ < 0 ||
      setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0 ||
      bind(listener_, found->ai_addr, found->ai_addrlen) != 0 ||
      listen(listener_, kWaiting) != 0 ||
      getsockname(listener_, at, &size) != 0) {
    return NoPort(address, port, errno);
  }
  char service[NI_MAXSERV] = {};
  getnameinfo(at, size, nullptr, 0, service, sizeof service, NI_NUMERICSERV);
  const bool six = found->ai_family == AF_INET6;
  url_ = fmt::format("http://{}{}{}:{}/metrics", six ? "[" : "", address,
                     six ? "]" : "", service);
  return OkStatus();
}

void MetricsServer::Serve() const {
  while (Await(listener_, POLLIN, std::numeric_limits<int64_t>::max())) {
    const int connection =
        accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) {
      // Where descriptors have run out it stays so for a while.
      constexpr int64_t kPauseNs = 100'000'000;
      Await(-1, 0, SteadyClock().NowNs() + kPauseNs);
      continue;
    }
    Answer(connection);
    close(connection);
  }
}

bool MetricsServer::Await(int descriptor, short events,
                          int64_t until_ns) const {
  constexpr int64_t kMostMs = 1'000'000;
  while (true) {
    const int64_t left_ns = until_ns - SteadyClock().NowNs();
    pollfd both[] = {{.fd = descriptor, .events = events, .revents = 0},
                     {.fd = end_, .events = POLLIN, .revents = 0}};
    const int ready = poll(
        both, 2,
        static_cast<int>(std::clamp<int64_t>(left_ns / 1'000'000, 0, kMostMs)));
    if (both[1].revents != 0) return false;
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
    if (left_ns <= 0) return false;
  }
}

void MetricsServer::Answer(int connection) const {
  const int64_t until_ns = SteadyClock().NowNs() + kPatienceNs;
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos &&
         request.size() < kMostRequestBytes) {
    if (!Await(connection, POLLIN, until_ns)) return;
    char block[1024];
    const ssize_t got = recv(connection, block, sizeof block, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return;
    request.append(block, static_cast<size_t>(got));
  }
  const std::string answer = AnswerTo(request);
  std::string_view left = answer;
  while (!left.empty()) {
    if (!Await(connection, POLLOUT, until_ns)) return;
    const ssize_t sent =
        send(connection, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return;
    left.remove_prefix(static_cast<size_t>(sent));
  }
}

std::string MetricsServer::AnswerTo(std::string_view request) const {
  const std::string_view line = request.substr(0, request.find("\r\n"));
  const size_t first = line.find(' ');
  const size_t second = line.find(' ', first + 1);
  if (request.find("\r\n\r\n") == std::string_view::npos ||
      second == std::string_view::npos ||
      !line.substr(second + 1).starts_with("HTTP/1.")) {
    return Refusal("400 Bad Request");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  if (target.substr(0, target.find('?')) != "/metrics") {
    return Refusal("404 Not Found");
  }
  if (method != "GET" && method != "HEAD") {
    return Refusal("405 Method Not Allowed", "Allow: GET, HEAD\r\n");
  }
  std::string answer =
      Response("200 OK", "text/plain; version=0.0.4; charset=utf-8", text_());
  if (method == "HEAD") answer.resize(answer.find("\r\n\r\n") + 4);
  return answer;
}

}  // namespace penstock
