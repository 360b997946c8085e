#include "pipeline/groups/grpc_group.h"

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "pipeline/groups/joined_group.h"
#include "pipeline/groups/local_link.h"
#include "pipeline/groups/meeting.h"

namespace penstock {
namespace {

constexpr char kMethod[] = "/penstock.Group/Meet";

grpc::ByteBuffer ToBuffer(const std::string& frame) {
  const grpc::Slice slice(frame);
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::string frame;
  std::vector<grpc::Slice> slices;
  if (!buffer.Dump(&slices).ok()) return frame;
  frame.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices) {
    frame.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return frame;
}

// Half of a stream of frames in both directions, the same on both sides. gRPC
// calls On...() one after the other for reads, and for writes, on its threads.
template <typename Reactor>
class FrameStream : public Link, public Reactor {
 public:
  void Send(std::string frame) final {
    {
      const std::lock_guard lock(mutex_);
      if (ended_ || leaving_) return;
      waiting_.push_back(std::move(frame));
      if (writing_) return;
      writing_ = true;
    }
    WriteNext();
  }

  void OnReadDone(bool ok) final {
    if (ok) {
      listener_->OnFrame(ToString(in_));
      in_.Clear();
      return this->StartRead(&in_);
    }
    bool idle = false;
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
      idle = !writing_;
    }
    if (idle) AfterLast();
  }

  void OnWriteDone(bool ok) final {
    bool more = false;
    bool last = false;
    {
      const std::lock_guard lock(mutex_);
      if (!ok) waiting_.clear();
      more = !waiting_.empty() && !ended_;
      last = !more && leaving_ && !ended_;
    }
    if (more) {
      WriteNext();
    } else if (last) {
      WroteAll();
    } else {
      StopWriting();
    }
  }

 protected:
  // `listener_` must be set before.
  void Listen() { this->StartRead(&in_); }

  // No operation is under way, and none begins any more.
  virtual void AfterLast() = 0;
  // All that was sent is written, and nothing more is. StopWriting() follows.
  virtual void WroteAll() { StopWriting(); }

  // WroteAll() follows, unless the stream has ended.
  void LeaveAfterWrites() {
    {
      const std::lock_guard lock(mutex_);
      if (ended_) return;
      leaving_ = true;
      if (std::exchange(writing_, true)) return;
    }
    WroteAll();
  }

  void StopWriting() {
    bool ended = false;
    bool more = false;
    {
      const std::lock_guard lock(mutex_);
      ended = ended_;
      // Something may have been sent since the last look.
      more = !ended && !leaving_ && !waiting_.empty();
      writing_ = more;
    }
    if (ended) AfterLast();
    if (more) WriteNext();
  }

  LinkListener* listener_ = nullptr;

 private:
  void WriteNext() {
    {
      const std::lock_guard lock(mutex_);
      out_ = ToBuffer(waiting_.front());
      waiting_.pop_front();
    }
    this->StartWrite(&out_);
  }

  grpc::ByteBuffer in_;
  grpc::ByteBuffer out_;

  std::mutex mutex_;
  // Guarded by mutex_.
  std::deque<std::string> waiting_;
  bool writing_ = false;  // a write is under way or about to begin
  bool leaving_ = false;
  bool ended_ = false;
};

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
       .times = options.times});
}

bool HasGrpc() { return true; }

}  // namespace penstock
