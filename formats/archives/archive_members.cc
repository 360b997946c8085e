#include "formats/archives/archive_members.h"

#include <fmt/format.h>

#include <utility>

#include "formats/archives/member_name.h"
#include "formats/archives/zip_directory.h"
#include "formats/files/status_or.h"
#include "formats/streams/bounded_stream.h"
#include "formats/streams/open_stream.h"
#include "formats/streams/plain_stream.h"

namespace penstock {
namespace {

StatusOr<std::unique_ptr<ArchiveSource>> OpenTarSource(
    FileSystem& files, const std::string& path, const ArchiveOptions& options) {
  PENSTOCK_ASSIGN_OR_RETURN(auto stream, OpenPlainStream(files, path));
  const uint64_t file_bytes = stream->size_bytes().value_or(0);
  if (options.compression != Compression::kNone) {
    stream = MakeBoundedStream(Unwrap(std::move(stream), options.compression),
                               file_bytes, options.unpack);
  }
  return MakeStreamSource(std::move(stream));
}

// A file of zeros, too, looks like a tar without any.
Status NoEntries(const std::string& path) {
  return InvalidArgumentError(
      fmt::format("{}: holds no entries; is it filled with zeros?", path));
}

}  // namespace

std::string_view ArchiveFormatName(ArchiveFormat format) {
  switch (format) {
    case ArchiveFormat::kTar:
      return "tar";
    case ArchiveFormat::kZip:
      return "zip";
    case ArchiveFormat::k7z:
      return "7z";
  }
  return "unknown";
}

StatusOr<std::unique_ptr<ArchiveMembers>> ArchiveMembers::Open(
    FileSystem& files, const std::string& path, ArchiveOptions options) {
  std::unique_ptr<ArchiveSource> source;
  std::optional<uint64_t> listed;
  uint64_t file_bytes = 0;
  if (options.format == ArchiveFormat::kTar) {
    PENSTOCK_ASSIGN_OR_RETURN(source, OpenTarSource(files, path, options));
  } else if (options.compression != Compression::kNone) {
    return UnimplementedError(
        fmt::format("{}: a {} inside {} is not read; unpack the outer layer",
                    path, ArchiveFormatName(options.format),
                    CompressionName(options.compression)));
  } else {
    PENSTOCK_ASSIGN_OR_RETURN(auto file, files.OpenForRead(path));
    if (options.format == ArchiveFormat::kZip) {
      PENSTOCK_ASSIGN_OR_RETURN(listed,
                                CheckZipDirectory(*file, options.limits));
      if (*listed == 0) return NoEntries(path);
    }
    PENSTOCK_ASSIGN_OR_RETURN(source, MakeFileSource(std::move(file)));
    file_bytes = source->size_bytes();
  }
  PENSTOCK_ASSIGN_OR_RETURN(
      auto handle, ArchiveHandle::Open(options.format, std::move(source)));
  return std::unique_ptr<ArchiveMembers>(new ArchiveMembers(
      std::move(handle), std::move(options), file_bytes, listed));
}

ArchiveMembers::ArchiveMembers(std::unique_ptr<ArchiveHandle> handle,
                               ArchiveOptions options, uint64_t file_bytes,
                               std::optional<uint64_t> listed)
    : path_(handle->source().path()),
      options_(std::move(options)),
      file_bytes_(file_bytes),
      listed_(listed),
      handle_(std::move(handle)) {}

StatusOr<std::optional<ArchiveMember>> ArchiveMembers::Next() {
  PENSTOCK_RETURN_IF_ERROR(failed_);
  if (ended_) return std::nullopt;
  auto member = NextRegular();
  if (!member.ok()) failed_ = member.status();
  return member;
}

StatusOr<std::optional<ArchiveMember>> ArchiveMembers::NextRegular() {
  while (true) {
    PENSTOCK_ASSIGN_OR_RETURN(entry_, handle_->NextEntry());
    if (entry_ == nullptr) {
      PENSTOCK_RETURN_IF_ERROR(CheckEnd());
      ended_ = true;
      return std::nullopt;
    }
    const uint64_t number = entries_;
    PENSTOCK_RETURN_IF_ERROR(Count(*entry_));
    auto name = NormalMemberName(entry_->name, options_.limits.max_name_bytes);
    // The folder that was packed is often an entry of its own, "./".
    if (entry_->special == "folder" && !name.ok() && entry_->name == "./") {
      continue;
    }
    if (!name.ok()) {
      const Status why = Annotate(name.status(), path_);
      if (!options_.on_bad_part) return why;
      PENSTOCK_RETURN_IF_ERROR(options_.on_bad_part(BadPart::kMember, why));
      continue;
    }
    if (entry_->special.empty()) {
      return ArchiveMember{.name = *std::move(name),
                           .number = number,
                           .size_bytes = entry_->size_bytes};
    }
    if (entry_->special != "folder" && options_.on_skipped) {
      options_.on_skipped(*name, entry_->special);
    }
  }
}

// Counts also what is skipped: libarchive unpacks that, too.
Status ArchiveMembers::Count(const ArchiveEntry& entry) {
  if (++entries_ > options_.limits.max_members) {
    return ResourceExhaustedError(
        fmt::format("{}: has more than {} entries; raise max_members", path_,
                    options_.limits.max_members));
  }
  if (options_.format == ArchiveFormat::kTar) return OkStatus();
  if (entry.size_bytes > options_.unpack.max_total_bytes - unpacked_bytes_) {
    return CheckUnpacked(path_, options_.unpack.max_total_bytes + 1,
                         file_bytes_, options_.unpack);
  }
  unpacked_bytes_ += entry.size_bytes;
  return CheckUnpacked(path_, unpacked_bytes_, file_bytes_, options_.unpack);
}

StatusOr<std::string_view> ArchiveMembers::Read(std::string& spare) {
  PENSTOCK_RETURN_IF_ERROR(failed_);
  if (entry_->size_bytes > options_.limits.max_member_bytes) {
    return ResourceExhaustedError(fmt::format(
        "{}!{}: has {} bytes, more than {}; raise max_member_bytes", path_,
        entry_->name, entry_->size_bytes, options_.limits.max_member_bytes));
  }
  auto content = handle_->Read(spare);
  if (!content.ok() && handle_->broken()) failed_ = content.status();
  return content;
}

void ArchiveMembers::Hold(Callback<void()> let_go) {
  handle_->source().Hold(std::move(let_go));
}

Status ArchiveMembers::CheckEnd() {
  PENSTOCK_RETURN_IF_ERROR(handle_->source().CheckEnd(
      handle_->header_offset(), options_.tar_end == TarEnd::kRequired));
  if (listed_ && *listed_ != entries_) {
    return DataLossError(
        fmt::format("{}: {} entries were found, the zip directory lists {}",
                    path_, entries_, *listed_));
  }
  return entries_ == 0 ? NoEntries(path_) : OkStatus();
}

std::string ArchiveMembers::Locate(const ArchiveMember& member) const {
  return fmt::format("{}!{}", path_, member.name);
}

}  // namespace penstock
