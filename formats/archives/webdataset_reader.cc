#include "formats/archives/webdataset_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "formats/archives/archive_members.h"
#include "formats/files/quoted.h"
#include "formats/files/status_or.h"

namespace penstock {
namespace {

// The name of a member, taken apart; views into it.
struct Component {
  std::string_view key;
  std::string_view extension;
};

std::optional<Component> Split(std::string_view name) {
  const size_t base = name.rfind('/') + 1;  // 0 where there is none
  const size_t dot = name.find('.', base);
  if (dot == std::string_view::npos || dot == base) return std::nullopt;
  const std::string_view key = name.substr(base, dot - base);
  if (key.starts_with("__") && key.ends_with("__")) return std::nullopt;
  return Component{name.substr(0, dot), name.substr(dot + 1)};
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lower;
}

class WebDatasetReader final : public RecordReader {
 public:
  WebDatasetReader(std::unique_ptr<ArchiveMembers> members,
                   WebDatasetReadOptions options)
      : members_(std::move(members)),
        options_(std::move(options)),
        extension_(Lower(options_.extension)) {}

  StatusOr<std::optional<RecordBlock>> NextBlock() override {
    first_ += ends_.size();
    bytes_.erase(0, ends_.empty() ? 0 : ends_.back());
    names_.erase(names_.begin(), names_.begin() + ends_.size());
    ends_.clear();
    records_.clear();
    while (failed_.ok() && !ended_ &&
           (ends_.empty() || ends_.back() < options_.block_bytes)) {
      failed_ = TakeMember();
    }
    if (ends_.empty() && failed_.ok()) return std::nullopt;
    if (ends_.empty()) return failed_;
    size_t begin = 0;
    for (const size_t end : ends_) {
      records_.emplace_back(bytes_.data() + begin, end - begin);
      begin = end;
    }
    return RecordBlock{records_, first_};
  }

  std::string Locate(size_t i) const override {
    return fmt::format("{}!{}", path(), names_[i]);
  }

  const std::string& path() const override { return members_->path(); }

 private:
  Status TakeMember() {
    PENSTOCK_ASSIGN_OR_RETURN(const auto member, members_->Next());
    if (!member) {
      PENSTOCK_RETURN_IF_ERROR(Complete());
      ended_ = true;
      return OkStatus();
    }
    if (options_.wants_member && !options_.wants_member(member->name)) {
      return OkStatus();
    }
    const std::optional<Component> part = Split(member->name);
    if (!part) {
      if (options_.archive.on_skipped) {
        options_.archive.on_skipped(member->name, "belongs to no sample");
      }
      return OkStatus();
    }
    if (!in_sample_ || part->key != key_) {
      PENSTOCK_RETURN_IF_ERROR(Complete());
      PENSTOCK_RETURN_IF_ERROR(Begin(*member, part->key));
    }
    return TakePart(*member, Lower(part->extension));
  }

  Status Begin(const ArchiveMember& member, std::string_view key) {
    if (!seen_.insert(std::hash<std::string_view>()(key)).second) {
      return DataLossError(fmt::format(
          "{}: key {} reappears at member {} after its sample was complete; "
          "sort the tar by name",
          path(), Quoted(key), member.number));
    }
    key_ = key;
    in_sample_ = true;
    return OkStatus();
  }

  Status TakePart(const ArchiveMember& member, std::string extension) {
    if (std::ranges::find(extensions_, extension) != extensions_.end()) {
      return DataLossError(
          fmt::format("{}: sample {} has {} twice, again at member {}", path(),
                      Quoted(key_), Quoted("." + extension), member.number));
    }
    extensions_.push_back(std::move(extension));
    if (extensions_.back() != extension_) return OkStatus();
    if (member.size_bytes > options_.max_record_bytes) {
      return ResourceExhaustedError(
          fmt::format("{}: has {} bytes, more than {}; raise max_record_bytes",
                      members_->Locate(member), member.size_bytes,
                      options_.max_record_bytes));
    }
    PENSTOCK_RETURN_IF_ERROR(members_->Read(bytes_).status());
    names_.push_back(member.name);
    return OkStatus();
  }

  // Ends the sample that we are in.
  Status Complete() {
    if (!std::exchange(in_sample_, false)) return OkStatus();
    const std::vector<std::string> had = std::exchange(extensions_, {});
    if (names_.size() > ends_.size()) {
      ends_.push_back(bytes_.size());
      return OkStatus();
    }
    std::string list;
    for (const std::string& extension : had) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ",
                          Quoted("." + extension));
    }
    const Status why = InvalidArgumentError(
        fmt::format("{}: sample {} has no {}; it has {}", path(), Quoted(key_),
                    Quoted("." + extension_), list));
    const OnBadPart& on_bad_part = options_.archive.on_bad_part;
    return on_bad_part ? on_bad_part(BadPart::kDocument, why) : why;
  }

  const std::unique_ptr<ArchiveMembers> members_;
  const WebDatasetReadOptions options_;
  const std::string extension_;

  // Records of the block, and behind them that of the sample we are in.
  std::string bytes_;
  std::vector<size_t> ends_;        // [records]
  std::vector<std::string> names_;  // [records, and one more in a sample]
  std::vector<std::string_view> records_;

  std::string key_;  // of the sample we are in
  std::vector<std::string> extensions_;
  absl::flat_hash_set<uint64_t> seen_;  // hashes of keys
  bool in_sample_ = false;
  bool ended_ = false;
  uint64_t first_ = 0;
  Status failed_;
};

}  // namespace

StatusOr<std::unique_ptr<RecordReader>> OpenWebDataset(
    FileSystem& files, const std::string& path, WebDatasetReadOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto members,
                            ArchiveMembers::Open(files, path, options.archive));
  return std::make_unique<WebDatasetReader>(std::move(members),
                                            std::move(options));
}

}  // namespace penstock
