#include "pipeline/groups/grpc_group.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <utility>

#include "pipeline/groups/frame_stream.h"
#include "pipeline/groups/host_words.h"
#include "pipeline/groups/joined_group.h"
#include "pipeline/groups/local_link.h"
#include "pipeline/groups/meeting.h"

namespace penstock {
namespace {

constexpr char kMethod[] = "/penstock.Group/Meet";

class ClientStream final
    : public FrameStream<
          grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>> {
 public:
  ClientStream(const std::shared_ptr<grpc::Channel>& channel,
               LinkListener& listener, const HostTimes& times)
      : stub_(channel), leave_(times.leave_ns) {
    listener_ = &listener;
    context_.set_wait_for_ready(true);
    stub_.PrepareBidiStreamingCall(&context_, kMethod, {}, this);
    AddHold();  // writes begin outside of gRPC's calls
    Listen();
    StartCall();
  }
  ~ClientStream() override {
    LeaveAfterWrites();
    std::unique_lock lock(done_mutex_);
    if (done_changed_.wait_for(lock, leave_, [&] { return done_; })) return;
    context_.TryCancel();
    done_changed_.wait(lock, [&] { return done_; });
  }

  void OnDone(const grpc::Status& status) override {
    listener_->OnBroken(status.error_message());
    const std::lock_guard lock(done_mutex_);
    done_ = true;
    done_changed_.notify_all();
  }

 private:
  void OnWritesDoneDone(bool ok) override { StopWriting(); }
  void AfterLast() override { RemoveHold(); }
  void WroteAll() override { StartWritesDone(); }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  const std::chrono::nanoseconds leave_;

  std::mutex done_mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
};

class ServerStream final : public FrameStream<grpc::ServerGenericBidiReactor> {
 public:
  ServerStream(Meeting& meeting, std::function<void()> on_gone)
      : guest_(meeting.Receive(*this)), on_gone_(std::move(on_gone)) {
    listener_ = guest_.get();
    Listen();
  }

  void OnDone() override {
    guest_->OnBroken("");
    const std::function<void()> on_gone = std::move(on_gone_);
    delete this;
    on_gone();
  }

 private:
  void AfterLast() override { Finish(grpc::Status::OK); }

  const std::unique_ptr<LinkListener> guest_;
  std::function<void()> on_gone_;
};

class Service final : public grpc::CallbackGenericService {
 public:
  explicit Service(Meeting& meeting) : meeting_(meeting) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    if (context->method() != kMethod) {
      return CallbackGenericService::CreateReactor(context);
    }
    {
      const std::lock_guard lock(mutex_);
      ++streams_;
    }
    return new ServerStream(meeting_, [this] {
      const std::lock_guard lock(mutex_);
      --streams_;
      gone_.notify_all();
    });
  }

  void AwaitAllGone() {
    std::unique_lock lock(mutex_);
    gone_.wait(lock, [&] { return streams_ == 0; });
  }

 private:
  Meeting& meeting_;
  std::mutex mutex_;
  std::condition_variable gone_;
  uint64_t streams_ = 0;  // guarded by mutex_
};

// Where host 0 listens: others may know it by a name that is a loopback here.
std::string ListenAddress(const std::string& coordinator) {
  const size_t colon = coordinator.rfind(':');
  const std::string host = coordinator.substr(0, colon);
  if (coordinator.starts_with("unix:") || host == "localhost" ||
      host == "[::1]" || host.starts_with("127.")) {
    return coordinator;
  }
  return "[::]" + coordinator.substr(colon);
}

// Host 0's link, and the server that goes after it.
class HostedLink final : public Link {
 public:
  static StatusOr<std::unique_ptr<Link>> Create(const GrpcGroupOptions& options,
                                                LinkListener& listener) {
    auto hosted = std::make_unique<HostedLink>();
    PENSTOCK_ASSIGN_OR_RETURN(hosted->meeting_,
                              Meeting::Start({.hosts = options.hosts,
                                              .channels = options.channels,
                                              .version = options.version,
                                              .who = options.coordinator,
                                              .times = options.times}));
    hosted->service_ = std::make_unique<Service>(*hosted->meeting_);
    grpc::ServerBuilder builder;
    // Two coordinators at one address would each get some of the hosts.
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.SetMaxReceiveMessageSize(-1);
    builder.AddListeningPort(ListenAddress(options.coordinator),
                             grpc::InsecureServerCredentials());
    builder.RegisterCallbackGenericService(hosted->service_.get());
    hosted->server_ = builder.BuildAndStart();
    if (hosted->server_ == nullptr) {
      return UnavailableError(fmt::format(
          "host 0 cannot listen on {}: another process does, or it is no "
          "address of this machine",
          options.coordinator));
    }
    PENSTOCK_ASSIGN_OR_RETURN(hosted->link_,
                              ConnectWithin(*hosted->meeting_)(listener));
    return std::unique_ptr<Link>(std::move(hosted));
  }

  ~HostedLink() override {
    link_.reset();
    if (server_ == nullptr) return;
    meeting_->AwaitOthersLeft();
    server_->Shutdown(std::chrono::system_clock::now());
    service_->AwaitAllGone();
    server_.reset();
  }

  void Send(std::string frame) override { link_->Send(std::move(frame)); }

 private:
  std::unique_ptr<Meeting> meeting_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Link> link_;
};

std::unique_ptr<Link> ConnectTo(const GrpcGroupOptions& options,
                                LinkListener& listener) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // The coordinator may come later, and is on no web.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 50);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Channels to one address would share a connection within a process.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return std::make_unique<ClientStream>(
      grpc::CreateCustomChannel(options.coordinator,
                                grpc::InsecureChannelCredentials(), arguments),
      listener, options.times);
}

}  // namespace

StatusOr<std::vector<std::unique_ptr<Group>>> JoinByGrpc(
    GrpcGroupOptions options) {
  if (options.coordinator.find(':') == std::string::npos) {
    return InvalidArgumentError(fmt::format(
        "the coordinator's address \"{}\" has no port: give HOST:PORT",
        options.coordinator));
  }
  if (options.version.empty()) options.version = PENSTOCK_VERSION;
  // What matters comes as a status.
  if (std::getenv("GRPC_VERBOSITY") == nullptr) {
    gpr_set_log_function([](gpr_log_func_args*) {});
  }
  const bool coordinates = options.host == 0;
  return JoinMeeting(
      [&options,
       coordinates](LinkListener& listener) -> StatusOr<std::unique_ptr<Link>> {
        if (coordinates) return HostedLink::Create(options, listener);
        return ConnectTo(options, listener);
      },
      {.hosts = options.hosts,
       .host = options.host,
       .channels = options.channels,
       .version = options.version,
       .who = coordinates ? options.coordinator : ThisProcess(),
       .coordinator = options.coordinator,
       .times = options.times,
       .stop = options.stop});
}

bool HasGrpc() { return true; }

}  // namespace penstock
