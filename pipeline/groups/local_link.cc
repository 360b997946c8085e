#include "pipeline/groups/local_link.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "formats/files/start_thread.h"

namespace penstock {
namespace {

class LocalLink final : public Link {
 public:
  LocalLink(Meeting& meeting, LinkListener& host)
      : host_(host), back_(*this), guest_(meeting.Receive(back_)) {}
  ~LocalLink() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    if (carrier_.joinable()) carrier_.join();
    guest_->OnBroken("");
  }

  Status Start() {
    PENSTOCK_ASSIGN_OR_RETURN(carrier_, StartThread([this] { Carry(); }));
    return OkStatus();
  }

  void Send(std::string frame) override { Post(*guest_, std::move(frame)); }

 private:
  // The meeting's end.
  class Back final : public Link {
   public:
    explicit Back(LocalLink& link) : link_(link) {}
    void Send(std::string frame) override {
      link_.Post(link_.host_, std::move(frame));
    }

   private:
    LocalLink& link_;
  };

  struct Letter {
    LinkListener* to;
    std::string frame;
  };

  void Post(LinkListener& to, std::string frame) {
    {
      const std::lock_guard lock(mutex_);
      letters_.push_back({&to, std::move(frame)});
    }
    changed_.notify_all();
  }

  void Carry() {
    while (true) {
      Letter letter;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ending_ || !letters_.empty(); });
        if (letters_.empty()) return;
        letter = std::move(letters_.front());
        letters_.pop_front();
      }
      letter.to->OnFrame(std::move(letter.frame));
    }
  }

  LinkListener& host_;
  Back back_;
  const std::unique_ptr<LinkListener> guest_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<Letter> letters_;
  bool ending_ = false;

  std::jthread carrier_;
};

}  // namespace

Connect ConnectWithin(Meeting& meeting) {
  return [&meeting](LinkListener& listener) -> StatusOr<std::unique_ptr<Link>> {
    auto link = std::make_unique<LocalLink>(meeting, listener);
    PENSTOCK_RETURN_IF_ERROR(link->Start());
    return std::unique_ptr<Link>(std::move(link));
  };
}

}  // namespace penstock
