#include "formats/datasets/lock_file.h"

#include <fmt/format.h>

#include <ctime>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

constexpr std::string_view kLockLine = "penstock_lock 1\n";
constexpr uint64_t kLockLimitBytes = 4096;
constexpr auto kLockPoll = std::chrono::milliseconds(10);
// For a lock that changes hands while it is looked at.
constexpr auto kLeastWait = std::chrono::seconds(2);

enum class LockTry { kHeld, kRefused, kChanging };

struct LockHolder {
  std::string host;
  std::string since;
  FileOwner owner;
};

std::string TimeNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  return {text,
          std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

// The number tells two locks of one process apart.
std::string LockText() {
  std::random_device random;
  return fmt::format("{}host {}\nsince {}\nprocess {}\nnumber {:08x}{:08x}\n",
                     kLockLine, HostName(), TimeNow(), OwnerText(ThisProcess()),
                     random(), random());
}

std::string LineOf(std::string_view text, std::string_view key) {
  const std::string start = fmt::format("\n{} ", key);
  const size_t at = text.find(start);
  if (at == std::string_view::npos) return "";
  text.remove_prefix(at + start.size());
  return std::string(text.substr(0, text.find('\n')));
}

std::optional<LockHolder> ParseLock(std::string_view text) {
  if (!text.starts_with(kLockLine)) return std::nullopt;
  const std::optional<FileOwner> owner = ParseOwner(LineOf(text, "process"));
  if (!owner.has_value()) return std::nullopt;
  return LockHolder{.host = LineOf(text, "host"),
                    .since = LineOf(text, "since"),
                    .owner = *owner};
}

Status RefuseLock(const std::string& path, const std::string& what,
                  const std::optional<LockHolder>& holder) {
  if (!holder.has_value()) {
    return FailedPreconditionError(fmt::format(
        "{}: is there, which locks {}, but does not say for whom; if nothing "
        "writes it, remove this file",
        path, what));
  }
  if (StateOf(holder->owner) == OwnerState::kUnknown) {
    return FailedPreconditionError(fmt::format(
        "{}: {} is being written by process {} of {} since {}, which cannot be "
        "seen from {}; wait for it, or remove this file if that process has "
        "ended",
        path, what, holder->owner.pid, holder->host, holder->since,
        HostName()));
  }
  return UnavailableError(fmt::format(
      "{}: {} is being written by process {} of this host ({}) since {}; try "
      "again when it has ended",
      path, what, holder->owner.pid, holder->host, holder->since));
}

Status WriteLock(FileSystem& files, const std::string& path,
                 std::string_view text) {
  PENSTOCK_ASSIGN_OR_RETURN(const auto file, files.OpenForWrite(path));
  PENSTOCK_RETURN_IF_ERROR(file->Append(text));
  PENSTOCK_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

// One try, with what was prepared at `mine`.
StatusOr<LockTry> TryLock(FileSystem& files, const std::string& path,
                          const std::string& mine, const LockOptions& options,
                          Status& refusal) {
  const Status made = files.RenameNew(mine, path);
  if (made.ok()) return LockTry::kHeld;
  if (made.code() != StatusCode::kAlreadyExists) return made;
  const auto text = ReadWholeFile(files, path, kLockLimitBytes);
  if (IsNotFound(text.status())) return LockTry::kChanging;  // let go just now
  // Not to be believed while it changes; nor is a folder of that name a lock.
  const auto holder = text.ok() ? ParseLock(*text) : std::nullopt;
  refusal = RefuseLock(path, options.what, holder);
  if (!holder.has_value() || StateOf(holder->owner) != OwnerState::kDead) {
    return LockTry::kRefused;
  }
  const Status taken = files.RenameOver(mine, path, *text);
  if (taken.code() == StatusCode::kFailedPrecondition || IsNotFound(taken)) {
    return LockTry::kChanging;  // another one took it over
  }
  if (!taken.ok()) return taken;
  if (options.on_notice) {
    options.on_notice(fmt::format(
        "took over the lock of process {} of this host, which ended without "
        "an end to its work ({}, since {})",
        holder->owner.pid, path, holder->since));
  }
  return LockTry::kHeld;
}

// As TryLock(), until there is an answer or the time is over.
StatusOr<LockTry> WaitForLock(FileSystem& files, const std::string& path,
                              const std::string& mine,
                              const LockOptions& options, Status& refusal) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(const LockTry tried,
                              TryLock(files, path, mine, options, refusal));
    const auto passed = std::chrono::steady_clock::now() - begin;
    const bool over = tried == LockTry::kRefused
                          ? passed >= options.wait
                          : passed >= options.wait + kLeastWait;
    if (tried == LockTry::kHeld || over) return tried;
    std::this_thread::sleep_for(kLockPoll);
  }
}

}  // namespace

StatusOr<std::unique_ptr<LockFile>> LockFile::Acquire(FileSystem& files,
                                                      const std::string& path,
                                                      LockOptions options) {
  const size_t name = path.rfind('/') + 1;  // npos + 1 == 0
  const std::string mine =
      path.substr(0, name) + TemporaryName(path.substr(name));
  const std::string text = LockText();
  Status refusal = UnavailableError(
      fmt::format("{}: {} is locked and let go again and again; try again",
                  path, options.what));
  Status status = WriteLock(files, mine, text);
  if (status.ok()) {
    const auto tried = WaitForLock(files, path, mine, options, refusal);
    if (tried.ok() && *tried == LockTry::kHeld) {
      files.Remove(mine).IgnoreError();  // where it is a second name
      return std::unique_ptr<LockFile>(new LockFile(files, path, text));
    }
    status = tried.ok() ? refusal : tried.status();
  }
  files.Remove(mine).IgnoreError();
  return status;
}

LockFile::~LockFile() {
  if (CheckHeld().ok()) files_.Remove(path_).IgnoreError();
}

Status LockFile::CheckHeld() const {
  const auto text = ReadWholeFile(files_, path_, kLockLimitBytes);
  if (text.ok() && *text == text_) return OkStatus();
  return FailedPreconditionError(
      fmt::format("{}: this lock was taken away while it was held; another "
                  "process may write now",
                  path_));
}

}  // namespace penstock
