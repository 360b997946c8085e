#include "formats/archives/archive_handle.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <locale.h>
#include <sys/types.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "formats/files/quoted.h"
#include "formats/files/status_or.h"
#include "formats/streams/file_signature.h"

namespace penstock {
namespace {

// libarchive converts names by the locale of the thread; in "C" every name
// beyond ASCII would be lost.
class Utf8Locale {
 public:
  Utf8Locale() {
    static const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    if (utf8 != nullptr) before_ = uselocale(utf8);
  }
  ~Utf8Locale() {
    if (before_ != nullptr) uselocale(before_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t before_ = nullptr;
};

// May be null where libarchive fails.
std::string_view ErrorText(archive* a) {
  const char* const text = archive_error_string(a);
  return text != nullptr ? text : "no reason is given";
}

// A name of an owner or group that cannot be converted is of no interest.
bool IsOnlyAboutConversion(archive* a) {
  return ErrorText(a).find("can't be converted") != std::string_view::npos;
}

std::string_view SpecialKind(archive_entry& entry) {
  if (archive_entry_hardlink(&entry) != nullptr) return "hard link";
  switch (archive_entry_filetype(&entry)) {
    case AE_IFREG:
      return archive_entry_sparse_count(&entry) > 0 ? "sparse file" : "";
    case AE_IFDIR:
      return "folder";
    case AE_IFLNK:
      return "symbolic link";
    case AE_IFCHR:
    case AE_IFBLK:
      return "device";
    case AE_IFIFO:
      return "pipe";
    case AE_IFSOCK:
      return "socket";
    default:
      return "entry of an unknown kind";
  }
}

}  // namespace

// What libarchive calls. An error of the source is kept, since libarchive
// would replace it by its own idea of it.
struct ArchiveHandle::Callbacks {
  static la_ssize_t Read(archive* a, void* self, const void** out) {
    auto& handle = *static_cast<ArchiveHandle*>(self);
    auto bytes = handle.source_->Next();
    if (!bytes.ok()) {
      handle.source_failed_ = bytes.status();
      archive_set_error(a, EIO, "the file cannot be read");
      return -1;
    }
    *out = bytes->data();
    return bytes->size();
  }

  static la_int64_t Seek(archive*, void* self, la_int64_t offset, int whence) {
    ArchiveSource& source = *static_cast<ArchiveHandle*>(self)->source_;
    uint64_t base = 0;
    if (whence == SEEK_CUR) base = source.position();
    if (whence == SEEK_END) base = source.size_bytes();
    const uint64_t place = base + offset;
    if (place > source.size_bytes()) return ARCHIVE_FATAL;
    source.Seek(place);
    return place;
  }
};

ArchiveHandle::ArchiveHandle(ArchiveFormat format,
                             std::unique_ptr<ArchiveSource> source)
    : format_(format),
      source_(std::move(source)),
      archive_(archive_read_new()) {}

ArchiveHandle::~ArchiveHandle() {
  if (archive_ != nullptr) archive_read_free(archive_);
}

StatusOr<std::unique_ptr<ArchiveHandle>> ArchiveHandle::Open(
    ArchiveFormat format, std::unique_ptr<ArchiveSource> source) {
  std::unique_ptr<ArchiveHandle> handle(
      new ArchiveHandle(format, std::move(source)));
  PENSTOCK_RETURN_IF_ERROR(handle->Start());
  return handle;
}

Status ArchiveHandle::Start() {
  if (archive_ == nullptr) {
    return ResourceExhaustedError(
        fmt::format("{}: no memory for libarchive", source_->path()));
  }
  const Utf8Locale locale;
  int code = ARCHIVE_FATAL;
  switch (format_) {
    case ArchiveFormat::kTar:
      code = archive_read_support_format_tar(archive_);
      break;
    case ArchiveFormat::kZip:
      // The other zip reader goes without the directory at the end.
      code = archive_read_support_format_zip_seekable(archive_);
      break;
    case ArchiveFormat::k7z:
      code = archive_read_support_format_7zip(archive_);
      break;
  }
  if (code != ARCHIVE_OK) return Failure(code);
  archive_read_set_callback_data(archive_, this);
  archive_read_set_read_callback(archive_, Callbacks::Read);
  if (source_->CanSeek()) {
    archive_read_set_seek_callback(archive_, Callbacks::Seek);
  }
  code = archive_read_open1(archive_);
  if (code == ARCHIVE_OK) return OkStatus();
  return source_failed_.ok() ? NotThisFormat() : source_failed_;
}

StatusOr<const ArchiveEntry*> ArchiveHandle::NextEntry() {
  const Utf8Locale locale;
  in_entry_ = false;
  archive_entry* entry = nullptr;
  const int code = archive_read_next_header(archive_, &entry);
  if (code == ARCHIVE_EOF && source_failed_.ok()) return nullptr;
  const bool usable = code == ARCHIVE_OK ||
                      (code == ARCHIVE_WARN && IsOnlyAboutConversion(archive_));
  if (!usable) return Failure(code);
  PENSTOCK_RETURN_IF_ERROR(Describe(*entry));
  return &entry_;
}

Status ArchiveHandle::Describe(archive_entry& entry) {
  const char* name = archive_entry_pathname(&entry);
  if (name == nullptr) name = archive_entry_pathname_utf8(&entry);
  if (name == nullptr) {
    return InvalidArgumentError(
        fmt::format("{}: the entry at offset {} has a name that is not UTF-8",
                    source_->path(), header_offset()));
  }
  entry_.name = name;
  entry_.special = SpecialKind(entry);
  entry_.size_bytes = 0;
  in_entry_ = true;
  if (archive_entry_is_encrypted(&entry) != 0) {
    return UnimplementedError(fmt::format(
        "{}!{}: is encrypted, and no key can be given", source_->path(), name));
  }
  const bool has_size =
      archive_entry_size_is_set(&entry) && archive_entry_size(&entry) >= 0;
  if (!has_size && entry_.special.empty()) {
    return Damaged("has no valid size");
  }
  if (has_size) entry_.size_bytes = archive_entry_size(&entry);
  return OkStatus();
}

StatusOr<std::string_view> ArchiveHandle::Read(std::string& spare) {
  // Memory is taken as bytes arrive, whatever size the header claims.
  constexpr uint64_t kFirstBytes = 1 << 20;
  const uint64_t begin = spare.size();
  const uint64_t want = entry_.size_bytes;
  std::string_view held;
  while (true) {
    const void* bytes = nullptr;
    size_t size = 0;
    la_int64_t offset = 0;
    const int code = archive_read_data_block(archive_, &bytes, &size, &offset);
    const uint64_t done = held.size() + spare.size() - begin;
    if (code == ARCHIVE_EOF && source_failed_.ok()) {
      if (done != want) {
        return Damaged(fmt::format("ends after {} of {} bytes", done, want));
      }
      return held.empty() ? std::string_view(spare).substr(begin) : held;
    }
    // A warning here is a failed checksum, after all bytes were given.
    if (code != ARCHIVE_OK) return Failure(code);
    if (size == 0) continue;
    if (static_cast<uint64_t>(offset) != done) {
      return Damaged(fmt::format("has a hole after {} bytes", done));
    }
    if (size > want - done) {
      return Damaged(
          fmt::format("has more than the {} bytes it declares", want));
    }
    const std::string_view piece(static_cast<const char*>(bytes), size);
    if (size == want && source_->Holds(piece.data())) {
      held = piece;
      continue;
    }
    if (done == 0) spare.reserve(begin + std::min(want, kFirstBytes));
    spare += piece;
  }
}

uint64_t ArchiveHandle::header_offset() const {
  const la_int64_t header = archive_read_header_position(archive_);
  if (header >= 0) return header;
  // After an error that nothing can follow: where it was met.
  return std::max<la_int64_t>(archive_filter_bytes(archive_, 0), 0);
}

Status ArchiveHandle::Damaged(std::string_view what) const {
  if (in_entry_) {
    return DataLossError(
        fmt::format("{}!{}: {}", source_->path(), entry_.name, what));
  }
  return DataLossError(fmt::format(
      "{}: {} at offset {}, {}", source_->path(), what, header_offset(),
      entry_.name.empty()
          ? "at its first member"
          : fmt::format("after member {}", Quoted(entry_.name))));
}

Status ArchiveHandle::Failure(int code) {
  // A warning is of one member's checksum; the directory of a zip leads on.
  broken_ = code != ARCHIVE_WARN || !source_failed_.ok();
  if (!source_failed_.ok()) return source_failed_;
  const std::string_view text = ErrorText(archive_);
  const auto says = [&](std::string_view words) {
    return text.find(words) != std::string_view::npos;
  };
  if (says("Unrecognized archive format")) return NotThisFormat();
  if (says("ncrypt") || says("nsupported") || says("not supported") ||
      says("Unknown codec")) {
    return UnimplementedError(fmt::format("{}{}{}: cannot be decoded: {}",
                                          source_->path(), in_entry_ ? "!" : "",
                                          in_entry_ ? entry_.name : "", text));
  }
  return Damaged(fmt::format("damaged: {} (libarchive {})", text, code));
}

Status ArchiveHandle::NotThisFormat() const {
  const std::string_view name = ArchiveFormatName(format_);
  const std::string_view first = source_->first_bytes();
  if (first.empty()) {
    return InvalidArgumentError(fmt::format(
        "{}: is empty, which no {} archive is", source_->path(), name));
  }
  // "ustar" where POSIX.1-1988 tars have it.
  if (format_ == ArchiveFormat::kTar && first.size() > 262 &&
      first.substr(257, 5) == "ustar") {
    return Damaged("damaged: the tar header fails its checksum");
  }
  const std::string_view type = LooksLike(first.substr(0, 64));
  return InvalidArgumentError(fmt::format(
      "{}: is not a {} archive (starts with {}){}{}", source_->path(), name,
      FirstBytesText(first), type.empty() ? "" : "; looks like ", type));
}

}  // namespace penstock
