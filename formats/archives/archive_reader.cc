#include "formats/archives/archive_reader.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "formats/archives/archive_members.h"
#include "formats/files/status_or.h"
#include "formats/streams/memory_stream.h"

namespace penstock {
namespace {

class ArchiveReader final : public RecordReader {
 public:
  ArchiveReader(std::unique_ptr<ArchiveMembers> members,
                ArchiveReadOptions options)
      : members_(std::move(members)), options_(std::move(options)) {}

  StatusOr<std::optional<RecordBlock>> NextBlock() override {
    first_ += std::exchange(given_, 0);
    if (!in_member_) DropWhole();
    while (failed_.ok() && !ended_) {
      if (in_member_) {
        auto block = in_member_->NextBlock();
        if (block.ok() && *block) {
          given_ = (*block)->records.size();
          return RecordBlock{(*block)->records, first_};
        }
        in_member_ = nullptr;
        failed_ = LeaveOut(block.status());
        continue;
      }
      if (pending_) {
        failed_ = LeaveOut(OpenPending());
        continue;
      }
      failed_ = TakeMembers();
      if (!whole_.empty()) return WholeMembers();
    }
    if (!failed_.ok()) return failed_;
    return std::nullopt;
  }

  std::string Locate(size_t i) const override {
    if (in_member_) return in_member_->Locate(i);
    return fmt::format("{}!{}", path(), whole_[i].name);
  }

  const std::string& path() const override { return members_->path(); }

 private:
  // One whole member of the block.
  struct Whole {
    std::string name;
    const char* held = nullptr;  // null: in bytes_
    size_t begin = 0;            // in bytes_
    size_t size = 0;
  };

  // Gathers whole members until a block is full or another kind of member, the
  // end or an error comes.
  Status TakeMembers() {
    DropWhole();
    members_->Hold([this] { CopyHeld(); });
    while (block_bytes_ < options_.block_bytes) {
      PENSTOCK_ASSIGN_OR_RETURN(auto member, members_->Next());
      if (!member) {
        ended_ = true;
        return OkStatus();
      }
      const StatusOr<MemberUse> use = options_.use(member->name);
      if (!use.ok()) {
        PENSTOCK_RETURN_IF_ERROR(LeaveOut(Annotate(use.status(), path())));
      } else if (*use == MemberUse::kRecords) {
        pending_ = *std::move(member);
        return OkStatus();
      } else if (*use == MemberUse::kWhole) {
        PENSTOCK_RETURN_IF_ERROR(LeaveOut(TakeWhole(*std::move(member))));
      }
    }
    return OkStatus();
  }

  // OK where the member may be left out.
  Status LeaveOut(const Status& why) const {
    if (why.ok() || !options_.archive.on_bad_part) return why;
    return options_.archive.on_bad_part(BadPart::kMember, why);
  }

  Status TakeWhole(ArchiveMember member) {
    if (member.size_bytes > options_.max_record_bytes) {
      return ResourceExhaustedError(
          fmt::format("{}: has {} bytes, more than {}; raise max_record_bytes",
                      members_->Locate(member), member.size_bytes,
                      options_.max_record_bytes));
    }
    Whole whole{.name = std::move(member.name), .begin = bytes_.size()};
    const auto content = members_->Read(bytes_);
    if (!content.ok()) bytes_.resize(whole.begin);
    PENSTOCK_RETURN_IF_ERROR(content.status());
    if (content->empty()) return OkStatus();
    whole.size = content->size();
    if (bytes_.size() == whole.begin) whole.held = content->data();
    whole_.push_back(std::move(whole));
    block_bytes_ += content->size();
    return OkStatus();
  }

  // Keeps what is held from being lost.
  void CopyHeld() {
    size_t size = 0;
    for (const Whole& whole : whole_) size += whole.held ? whole.size : 0;
    copied_.reserve(size);
    for (Whole& whole : whole_) {
      if (whole.held == nullptr) continue;
      copied_.append(whole.held, whole.size);
      whole.held = copied_.data() + copied_.size() - whole.size;
    }
  }

  RecordBlock WholeMembers() {
    for (const Whole& whole : whole_) {
      records_.emplace_back(
          whole.held != nullptr ? whole.held : bytes_.data() + whole.begin,
          whole.size);
    }
    given_ = records_.size();
    return {records_, first_};
  }

  Status OpenPending() {
    const ArchiveMember member = *std::exchange(pending_, std::nullopt);
    DropWhole();
    PENSTOCK_ASSIGN_OR_RETURN(const auto content, members_->Read(bytes_));
    PENSTOCK_ASSIGN_OR_RETURN(
        in_member_,
        options_.open(MakeMemoryStream(members_->Locate(member), content)));
    return OkStatus();
  }

  void DropWhole() {
    members_->Hold(nullptr);
    bytes_.clear();
    copied_.clear();
    block_bytes_ = 0;
    whole_.clear();
    records_.clear();
  }

  const std::unique_ptr<ArchiveMembers> members_;
  const ArchiveReadOptions options_;

  // Content of the member that is read, or of the whole members of a block that
  // are not held.
  std::string bytes_;
  std::string copied_;      // what was held until it had to be let go
  size_t block_bytes_ = 0;  // of all whole members
  std::vector<Whole> whole_;
  std::vector<std::string_view> records_;

  std::optional<ArchiveMember> pending_;  // the next one, not read yet
  std::unique_ptr<RecordReader> in_member_;
  uint64_t first_ = 0;
  uint64_t given_ = 0;  // records in the block given last
  bool ended_ = false;
  Status failed_;
};

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> OpenArchive(
    FileSystem& files, const std::string& path, ArchiveReadOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto members,
                            ArchiveMembers::Open(files, path, options.archive));
  return std::make_unique<ArchiveReader>(std::move(members),
                                         std::move(options));
}

}  // namespace penstock
