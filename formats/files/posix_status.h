// What errno means in our terms.
#pragma once

#include <string_view>

#include "formats/files/status.h"

namespace penstock {

// "a/b.tfrecord: cannot open: No such file or directory" with the code that
// fits: kNotFound, kPermissionDenied, kInvalidArgument (a folder, a bad name),
// kResourceExhausted (space, quota, size limit, handles, memory), kDataLoss
// (the device), kAlreadyExists, kUnavailable (try again) or kInternal.
Status PosixStatus(int error, std::string_view path, std::string_view action);

}  // namespace penstock
