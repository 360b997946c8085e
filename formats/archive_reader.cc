#include "formats/archive_reader.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "formats/archive_members.h"
#include "formats/memory_stream.h"
#include "formats/status.h"

namespace penstock {
namespace {

class ArchiveReader final : public RecordReader {
 public:
  ArchiveReader(std::unique_ptr<ArchiveMembers> members,
                ArchiveReadOptions options)
      : members_(std::move(members)), options_(std::move(options)) {}

  absl::StatusOr<std::optional<RecordBlock>> NextBlock() override {
    first_ += std::exchange(given_, 0);
    if (!in_member_) DropWhole();
    while (failed_.ok() && !ended_) {
      if (in_member_) {
        auto block = in_member_->NextBlock();
        if (block.ok() && *block) {
          given_ = (*block)->records.size();
          return RecordBlock{(*block)->records, first_};
        }
        failed_ = block.status();
        if (block.ok()) in_member_ = nullptr;
        continue;
      }
      if (pending_) {
        failed_ = OpenPending();
        continue;
      }
      failed_ = TakeMembers();
      if (!names_.empty()) return WholeMembers();
    }
    if (!failed_.ok()) return failed_;
    return std::nullopt;
  }

  std::string Locate(size_t i) const override {
    if (in_member_) return in_member_->Locate(i);
    return fmt::format("{}!{}", path(), names_[i]);
  }

  const std::string& path() const override { return members_->path(); }

 private:
  // Gathers whole members until a block is full or another kind of member, the
  // end or an error comes.
  absl::Status TakeMembers() {
    DropWhole();
    while (bytes_.size() < options_.block_bytes) {
      PENSTOCK_ASSIGN_OR_RETURN(auto member, members_->Next());
      if (!member) {
        ended_ = true;
        return absl::OkStatus();
      }
      const absl::StatusOr<MemberUse> use = options_.use(member->name);
      if (!use.ok()) return Annotate(use.status(), path());
      if (*use == MemberUse::kSkip) {
        if (options_.archive.on_skipped) {
          options_.archive.on_skipped(member->name, "not wanted");
        }
      } else if (*use == MemberUse::kRecords) {
        pending_ = *std::move(member);
        return absl::OkStatus();
      } else {
        PENSTOCK_RETURN_IF_ERROR(TakeWhole(*std::move(member)));
      }
    }
    return absl::OkStatus();
  }

  absl::Status TakeWhole(ArchiveMember member) {
    if (member.size_bytes > options_.max_record_bytes) {
      return absl::ResourceExhaustedError(
          fmt::format("{}: has {} bytes, more than {}; raise max_record_bytes",
                      members_->Locate(member), member.size_bytes,
                      options_.max_record_bytes));
    }
    const size_t begin = bytes_.size();
    PENSTOCK_RETURN_IF_ERROR(members_->Read(bytes_));
    if (bytes_.size() == begin) return absl::OkStatus();
    ends_.push_back(bytes_.size());
    names_.push_back(std::move(member.name));
    return absl::OkStatus();
  }

  RecordBlock WholeMembers() {
    size_t begin = 0;
    for (const size_t end : ends_) {
      records_.emplace_back(bytes_.data() + begin, end - begin);
      begin = end;
    }
    given_ = records_.size();
    return {records_, first_};
  }

  absl::Status OpenPending() {
    const ArchiveMember member = *std::exchange(pending_, std::nullopt);
    DropWhole();
    PENSTOCK_RETURN_IF_ERROR(members_->Read(bytes_));
    PENSTOCK_ASSIGN_OR_RETURN(
        in_member_,
        options_.open(MakeMemoryStream(members_->Locate(member), bytes_)));
    return absl::OkStatus();
  }

  void DropWhole() {
    bytes_.clear();
    ends_.clear();
    names_.clear();
    records_.clear();
  }

  const std::unique_ptr<ArchiveMembers> members_;
  const ArchiveReadOptions options_;

  // Content of the member that is read, or of the whole members of a block.
  std::string bytes_;
  std::vector<size_t> ends_;  // of each whole member in bytes_
  std::vector<std::string> names_;
  std::vector<std::string_view> records_;

  std::optional<ArchiveMember> pending_;  // the next one, not read yet
  std::unique_ptr<RecordReader> in_member_;
  uint64_t first_ = 0;
  uint64_t given_ = 0;  // records in the block given last
  bool ended_ = false;
  absl::Status failed_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RecordReader>> OpenArchive(
    FileSystem& files, const std::string& path, ArchiveReadOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto members,
                            ArchiveMembers::Open(files, path, options.archive));
  return std::make_unique<ArchiveReader>(std::move(members),
                                         std::move(options));
}

}  // namespace penstock
