#include "pipeline/tasks/task_queue.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "formats/files/memory_guard.h"
#include "formats/files/start_thread.h"

namespace penstock {
namespace {

int CoresOfThisProcess() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) == 0) {
    return std::max(1, CPU_COUNT(&cores));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

}  // namespace

// All of it is guarded by the pool's mutex.
class TaskQueue::Tasks {
 public:
  struct Task {
    std::function<void()> run;
    std::shared_ptr<TaskHome> home;
  };

  explicit Tasks(int threads) : threads(threads) {}

  bool empty() const { return soon.empty() && waiting.empty(); }
  bool ready() const { return !empty() && running < threads; }
  // The next to start, where there is one: another thread's comes last.
  std::function<void()> Take() {
    const std::thread::id me = std::this_thread::get_id();
    if (const auto at = FirstFor(me, soon); at != soon.end()) {
      return Take(soon, at);
    }
    if (const auto at = FirstFor(me, waiting); at != waiting.end()) {
      return Take(waiting, at);
    }
    auto& others = soon.empty() ? waiting : soon;
    return Take(others, others.begin());
  }

  const int threads;
  std::deque<Task> soon;  // of RunSoon()
  std::deque<Task> waiting;
  int running = 0;
  std::condition_variable all_ended;

 private:
  // As many are looked at: with the mutex locked, time is short.
  static constexpr size_t kMostLookedAt = 64;

  std::deque<Task>::iterator FirstFor(std::thread::id thread,
                                      std::deque<Task>& tasks) const {
    const auto end = tasks.begin() + std::min(tasks.size(), kMostLookedAt);
    const auto found = std::find_if(tasks.begin(), end, [&](const Task& task) {
      return task.home == nullptr || task.home->thread_ == thread ||
             task.home->thread_ == std::thread::id();
    });
    return found == end ? tasks.end() : found;
  }

  std::function<void()> Take(std::deque<Task>& from,
                             std::deque<Task>::iterator at) const {
    Task task = std::move(*at);
    from.erase(at);
    if (task.home != nullptr && task.home->thread_ == std::thread::id()) {
      task.home->thread_ = std::this_thread::get_id();
    }
    return std::move(task.run);
  }
};

// Never destroyed: a thread may still be in it when the process ends.
class TaskPool {
 public:
  using Tasks = TaskQueue::Tasks;

  static TaskPool& Get() {
    static TaskPool& pool = *new TaskPool;
    return pool;
  }

  Status Add(const std::shared_ptr<Tasks>& tasks) {
    const std::lock_guard lock(mutex_);
    queues_.push_back(tasks);
    wanted_ = Wanted();
    const Status status = StartThreads();
    if (!status.ok()) {
      queues_.pop_back();
      wanted_ = Wanted();
    }
    return status;
  }

  void Remove(const std::shared_ptr<Tasks>& tasks) {
    std::unique_lock lock(mutex_);
    tasks->all_ended.wait(
        lock, [&] { return tasks->empty() && tasks->running == 0; });
    std::erase(queues_, tasks);
    wanted_ = Wanted();
    // Threads that nobody asks for any more go.
    changed_.notify_all();
  }

  // `tasks` are some of a queue's. Where there is no memory to leave the task
  // to another thread, it runs on this one.
  void Run(std::deque<Tasks::Task>& tasks, std::function<void()> task,
           std::shared_ptr<TaskHome> home) {
    try {
      const std::lock_guard lock(mutex_);
      tasks.emplace_back();
      tasks.back() = {std::move(task), std::move(home)};
    } catch (const std::bad_alloc&) {
      return task();
    }
    changed_.notify_one();
  }

 private:
  // Threads for the largest queue, and for all together up to the cores.
  int Wanted() const {
    int largest = 0;
    int all = 0;
    for (const auto& queue : queues_) {
      largest = std::max(largest, queue->threads);
      all = std::min(all + queue->threads, 1 << 20);
    }
    return std::max(largest, std::min(all, CoresOfThisProcess()));
  }

  Status StartThreads() {
    for (; threads_ < wanted_; ++threads_) {
      StatusOr<std::jthread> thread = StartThread([this] { Work(); });
      if (thread.ok()) {
        thread->detach();
      } else {
        return threads_ > 0 ? OkStatus() : thread.status();
      }
    }
    return OkStatus();
  }

  // The first queue with a task that may start, from the one whose turn it is.
  std::shared_ptr<Tasks> NextReady() {
    for (size_t i = 0; i < queues_.size(); ++i) {
      const size_t at = (turn_ + i) % queues_.size();
      if (!queues_[at]->ready()) continue;
      turn_ = at + 1;
      return queues_[at];
    }
    return nullptr;
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (threads_ <= wanted_) {
      const std::shared_ptr<Tasks> tasks = NextReady();
      if (tasks == nullptr) {
        changed_.wait(lock);
        continue;
      }
      std::function<void()> task = tasks->Take();
      ++tasks->running;
      lock.unlock();
      task();
      task = nullptr;  // what it holds goes before anyone hears that it ended
      lock.lock();
      --tasks->running;
      // This thread goes on by itself; another may take what waits as well.
      if (tasks->empty() && tasks->running == 0) {
        tasks->all_ended.notify_all();
      }
    }
    --threads_;
    changed_.notify_one();  // what woke this one may have been a task
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::shared_ptr<Tasks>> queues_;
  size_t turn_ = 0;
  int wanted_ = 0;  // Wanted(), which asks the system
  int threads_ = 0;
};

StatusOr<std::unique_ptr<TaskQueue>> TaskQueue::Create(int threads) {
  if (threads < 0) {
    return InvalidArgumentError(fmt::format(
        "{} threads: give a number, or 0 for one on each core", threads));
  }
  if (threads == 0) threads = CoresOfThisProcess();
  using Made = StatusOr<std::unique_ptr<TaskQueue>>;
  return GuardMemory(NoMemory("threads", "start them"), [&]() -> Made {
    auto tasks = std::make_shared<Tasks>(threads);
    std::unique_ptr<TaskQueue> queue(new TaskQueue(tasks));
    const Status status = TaskPool::Get().Add(tasks);
    if (!status.ok()) return status;
    return queue;
  });
}

TaskQueue::TaskQueue(std::shared_ptr<Tasks> tasks) : tasks_(std::move(tasks)) {}

TaskQueue::~TaskQueue() { TaskPool::Get().Remove(tasks_); }

void TaskQueue::Run(std::function<void()> task,
                    std::shared_ptr<TaskHome> home) {
  TaskPool::Get().Run(tasks_->waiting, std::move(task), std::move(home));
}

void TaskQueue::RunSoon(std::function<void()> task,
                        std::shared_ptr<TaskHome> home) {
  TaskPool::Get().Run(tasks_->soon, std::move(task), std::move(home));
}

int TaskQueue::threads() const { return tasks_->threads; }

}  // namespace penstock
