#include "formats/corpora/text_buffer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "formats/files/status_or.h"
#include "formats/streams/file_signature.h"

namespace penstock {
namespace {

using std::string_view_literals::operator""sv;

constexpr size_t kSignatureBytes = 512;

// The encoding a byte order mark tells, other than UTF-8; null without one.
const char* WideEncoding(std::string_view bytes) {
  if (bytes.starts_with("\xff\xfe\0\0"sv)) return "UTF-32LE";
  if (bytes.starts_with("\0\0\xfe\xff"sv)) return "UTF-32BE";
  if (bytes.starts_with("\xff\xfe"sv)) return "UTF-16LE";
  if (bytes.starts_with("\xfe\xff"sv)) return "UTF-16BE";
  return nullptr;
}

// What a file is that begins with `bytes` and is no text for certain; empty
// otherwise. Control bytes are asked for too, so that words that look like a
// magic number pass, and JSON or XML with such bytes is still text.
std::string_view NoText(std::string_view bytes) {
  for (const std::string_view words :
       {"version https://git-lfs"sv, "%PDF-1."sv, "!<arch>\n"sv}) {
    if (bytes.starts_with(words)) return LooksLike(bytes);
  }
  const bool binary = std::ranges::any_of(bytes, [](char c) {
    return c >= 0 && c < ' ' && (c < '\t' || c > '\r') && c != '\x1b';
  });
  const std::string_view kind = LooksLike(bytes);
  return binary && !kind.ends_with("text") ? kind : std::string_view();
}

}  // namespace

TextBuffer::TextBuffer(std::unique_ptr<ByteStream> stream, size_t chunk_bytes,
                       uint64_t limit_bytes)
    : stream_(std::move(stream)),
      chunk_bytes_(std::max<size_t>(chunk_bytes, 64)),
      limit_bytes_(limit_bytes) {}

StatusOr<bool> TextBuffer::Fill() {
  const size_t goal = MakeRoom();
  const size_t before = end_;
  while (end_ < goal) {
    auto got = stream_->Read({bytes_.data() + end_, goal - end_});
    if (!got.ok()) {
      if (end_ == before) return got.status();
      break;  // it is said again at the next call
    }
    if (*got == 0) break;
    end_ += *got;
  }
  if (end_ == before) return false;
  if (at_start_) {
    at_start_ = false;
    PENSTOCK_RETURN_IF_ERROR(TakeOffMark());
  }
  return true;
}

// Moves what is pending to the front and returns up to where to read: a chunk,
// or as much again as is pending, so that a long record is moved and scanned a
// few times only.
size_t TextBuffer::MakeRoom() {
  const uint64_t pending = end_ - begin_;
  if (begin_ > 0) {
    std::memmove(bytes_.data(), bytes_.data() + begin_, pending);
    begin_ = 0;
    end_ = pending;
  }
  const uint64_t chunk =
      at_start_ ? std::max(chunk_bytes_, kSignatureBytes) : chunk_bytes_;
  const uint64_t below_limit = limit_bytes_ - std::min(limit_bytes_, pending);
  const size_t goal =
      pending + std::max<uint64_t>(chunk, std::min(pending, below_limit));
  if (bytes_.size() < goal + kPaddingBytes) {
    bytes_.reserve(goal + kPaddingBytes);  // resize() alone may take twice that
    bytes_.resize(goal + kPaddingBytes);
  }
  return goal;
}

Status TextBuffer::TakeOffMark() {
  const std::string_view bytes(bytes_.data(), end_);
  if (const char* encoding = WideEncoding(bytes)) {
    return InvalidArgumentError(fmt::format(
        "{}: the file is {} by its byte order mark; convert it to UTF-8 "
        "(iconv -f {} -t UTF-8)",
        path(), encoding, encoding));
  }
  const std::string_view kind = NoText(bytes.substr(0, kSignatureBytes));
  if (!kind.empty()) {
    return InvalidArgumentError(
        fmt::format("{}: expected text; the file looks like {}", path(), kind));
  }
  if (bytes.starts_with(kUtf8Mark)) begin_ = kUtf8Mark.size();
  return OkStatus();
}

}  // namespace penstock
