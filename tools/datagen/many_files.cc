#include "tools/datagen/many_files.h"

#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

// A mutex of its own is held while it works, so that only a file at rest is
// closed for another: that one's is taken with try_lock alone.
class ManyFiles::File final : public WritableFile {
 public:
  File(ManyFiles& all, std::unique_ptr<WritableFile> file)
      : all_(all), path_(file->path()), file_(std::move(file)) {}
  ~File() override { all_.Closed(*this); }

  Status Append(std::string_view bytes) override {
    const std::lock_guard lock(mutex_);
    PENSTOCK_RETURN_IF_ERROR(Open());
    return file_->Append(bytes);
  }
  Status Sync() override {
    const std::lock_guard lock(mutex_);
    PENSTOCK_RETURN_IF_ERROR(Open());
    return file_->Sync();
  }
  Status Close() override {
    const std::lock_guard lock(mutex_);
    if (file_ == nullptr) return failed_;
    const Status status = file_->Close();
    file_ = nullptr;
    all_.Closed(*this);
    return status;
  }
  const std::string& path() const override { return path_; }

  // False where it is at work.
  bool CloseForAnother() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return false;
    if (file_ != nullptr) failed_ = file_->Close();
    file_ = nullptr;
    return true;
  }

 private:
  Status Open() {
    if (!failed_.ok() || file_ != nullptr) return failed_;
    all_.MakeRoom();
    PENSTOCK_ASSIGN_OR_RETURN(file_, all_.under().OpenForAppend(path_));
    all_.Opened(*this);
    return OkStatus();
  }

  ManyFiles& all_;
  const std::string path_;
  std::mutex mutex_;
  std::unique_ptr<WritableFile> file_;  // guarded by mutex_; null: closed
  Status failed_;                       // guarded by mutex_; of closing it
};

StatusOr<std::unique_ptr<WritableFile>> ManyFiles::OpenForWrite(
    const std::string& path) {
  MakeRoom();
  PENSTOCK_ASSIGN_OR_RETURN(auto opened, under().OpenForWrite(path));
  auto file = std::make_unique<File>(*this, std::move(opened));
  Opened(*file);
  return file;
}

StatusOr<std::unique_ptr<WritableFile>> ManyFiles::OpenForAppend(
    const std::string& path) {
  MakeRoom();
  PENSTOCK_ASSIGN_OR_RETURN(auto opened, under().OpenForAppend(path));
  auto file = std::make_unique<File>(*this, std::move(opened));
  Opened(*file);
  return file;
}

Status ManyFiles::SyncFolder(const std::string& folder) {
  const std::lock_guard lock(mutex_);
  folders_.insert(folder);
  return OkStatus();
}

Status ManyFiles::SyncFolders() {
  std::set<std::string> folders;
  {
    const std::lock_guard lock(mutex_);
    folders.swap(folders_);
  }
  for (const std::string& folder : folders) {
    PENSTOCK_RETURN_IF_ERROR(under().SyncFolder(folder));
  }
  return OkStatus();
}

void ManyFiles::Opened(File& file) {
  const std::lock_guard lock(mutex_);
  open_.push_back(&file);
}

void ManyFiles::Closed(File& file) {
  const std::lock_guard lock(mutex_);
  open_.remove(&file);
}

void ManyFiles::MakeRoom() {
  const std::lock_guard lock(mutex_);
  for (auto at = open_.begin();
       open_.size() >= most_open_ && at != open_.end();) {
    at = (*at)->CloseForAnother() ? open_.erase(at) : std::next(at);
  }
}

}  // namespace penstock
