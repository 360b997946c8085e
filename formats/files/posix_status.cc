#include "formats/files/posix_status.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace penstock {
namespace {

absl::StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
      return absl::StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::StatusCode::kPermissionDenied;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case EXDEV:
    case ENOTEMPTY:
      return absl::StatusCode::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return absl::StatusCode::kResourceExhausted;
    case EIO:
      return absl::StatusCode::kDataLoss;
    case EEXIST:
      return absl::StatusCode::kAlreadyExists;
    case EAGAIN:
    case EBUSY:
    case ETIMEDOUT:
    case ESTALE:
    case ENXIO:
    case ENODEV:
      return absl::StatusCode::kUnavailable;
    default:
      return absl::StatusCode::kInternal;
  }
}

}  // namespace

absl::Status PosixStatus(int error, std::string_view path,
                         std::string_view action) {
  const char* text = strerrordesc_np(error);
  return absl::Status(CodeOf(error),
                      fmt::format("{}: cannot {}: {}", path, action,
                                  text != nullptr ? text : "unknown error"));
}

}  // namespace penstock
