#include "formats/files/posix_status.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace penstock {
namespace {

StatusCode CodeOf(int error) {
  switch (error) {
    case ENOENT:
      return StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return StatusCode::kPermissionDenied;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
    case ENAMETOOLONG:
    case EINVAL:
    case EXDEV:
    case ENOTEMPTY:
      return StatusCode::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOBUFS:
      return StatusCode::kResourceExhausted;
    case EIO:
      return StatusCode::kDataLoss;
    case EEXIST:
      return StatusCode::kAlreadyExists;
    case EAGAIN:
    case EBUSY:
    case ETIMEDOUT:
    case ESTALE:
    case ENXIO:
    case ENODEV:
      return StatusCode::kUnavailable;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

Status PosixStatus(int error, std::string_view path, std::string_view action) {
  const char* text = strerrordesc_np(error);
  std::string advice;
  rlimit limit = {};
  if (error == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    advice =
        fmt::format("; this process may have {} open, which `ulimit -n` raises",
                    limit.rlim_cur);
  }
  return Status(CodeOf(error),
                fmt::format("{}: cannot {}: {}{}", path, action,
                            text != nullptr ? text : "unknown error", advice));
}

}  // namespace penstock
