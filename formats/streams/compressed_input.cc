#include "formats/streams/compressed_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/file_signature.h"

namespace penstock {

CompressedInput::CompressedInput(std::unique_ptr<ByteStream> source,
                                 uint64_t offset)
    : source_(std::move(source)),
      buffer_(std::make_unique_for_overwrite<char[]>(kBufferBytes)),
      offset_of_end_(offset) {}

Status CompressedInput::Want(size_t size) {
  if (end_ - begin_ >= size) return OkStatus();
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= std::exchange(begin_, 0);
  while (end_ < size) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const size_t got,
        source_->Read({buffer_.get() + end_, kBufferBytes - end_}));
    if (got == 0) break;
    end_ += got;
    offset_of_end_ += got;
  }
  return OkStatus();
}

Status CompressedInput::ExpectOnlyPadding(std::string_view what) {
  while (true) {
    PENSTOCK_RETURN_IF_ERROR(Want(1));
    const std::string_view left = bytes();
    if (left.empty()) return OkStatus();
    const size_t junk = left.find_first_not_of('\0');
    Consume(std::min(junk, left.size()));
    if (junk != std::string_view::npos) {
      return DataLossError(fmt::format(
          "{}: bytes that are no {} data after its end, at compressed "
          "offset {} (they start with {})",
          path(), what, offset(), FirstBytesText(bytes())));
    }
  }
}

Status CompressedInput::NotWrapped(std::string_view name) {
  PENSTOCK_RETURN_IF_ERROR(Want(64));
  const std::string_view type = LooksLike(bytes());
  return InvalidArgumentError(fmt::format(
      "{}: is not {} (starts with {}); {}", path(), name,
      FirstBytesText(bytes()),
      type.empty() ? std::string("choose the compression it was written with")
                   : fmt::format("looks like {}", type)));
}

}  // namespace penstock
