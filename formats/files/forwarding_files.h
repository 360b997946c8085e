// A file system that does what another one does, for those that change a few of
// its calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Threads: those of the file system under it, which must outlive this.
class ForwardingFiles : public FileSystem {
 public:
  explicit ForwardingFiles(FileSystem& under) : under_(under) {}

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override {
    return under_.OpenForRead(path);
  }
  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override {
    return under_.OpenForWrite(path);
  }
  StatusOr<std::unique_ptr<WritableFile>> OpenInPlace(
      const std::string& path) override {
    return under_.OpenInPlace(path);
  }
  StatusOr<std::unique_ptr<WritableFile>> OpenForAppend(
      const std::string& path) override {
    return under_.OpenForAppend(path);
  }
  StatusOr<FileInfo> Stat(const std::string& path) override {
    return under_.Stat(path);
  }
  StatusOr<std::vector<std::string>> List(const std::string& folder) override {
    return under_.List(folder);
  }
  Status Rename(const std::string& from, const std::string& to) override {
    return under_.Rename(from, to);
  }
  Status RenameNew(const std::string& from, const std::string& to) override {
    return under_.RenameNew(from, to);
  }
  Status RenameOver(const std::string& from, const std::string& to,
                    std::string_view expected) override {
    return under_.RenameOver(from, to, expected);
  }
  StatusOr<std::string> ReadLink(const std::string& path) override {
    return under_.ReadLink(path);
  }
  Status Remove(const std::string& path) override {
    return under_.Remove(path);
  }
  Status RemoveFolder(const std::string& folder) override {
    return under_.RemoveFolder(folder);
  }
  Status CreateFolders(const std::string& folder) override {
    return under_.CreateFolders(folder);
  }
  Status SyncFolder(const std::string& folder) override {
    return under_.SyncFolder(folder);
  }

 protected:
  FileSystem& under() const { return under_; }

 private:
  FileSystem& under_;
};

}  // namespace penstock
