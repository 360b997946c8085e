#include "formats/streams/joined_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace penstock {

JoinedStream::JoinedStream(std::unique_ptr<ByteStream> source, Names names,
                           size_t magic_bytes)
    : input_(std::move(source)), names_(names), magic_bytes_(magic_bytes) {}

StatusOr<size_t> JoinedStream::Read(std::span<char> out) {
  size_t filled = 0;
  while (filled < out.size() && !ended_ && failed_.ok()) {
    failed_ = in_part_ ? Step(out, filled) : Enter();
  }
  if (filled == 0 && !failed_.ok()) return failed_;
  return filled;
}

Status JoinedStream::Enter() {
  if (parts_ > 0 && names_.padding_unit > 0) {
    PENSTOCK_RETURN_IF_ERROR(SkipPadding());
  }
  PENSTOCK_RETURN_IF_ERROR(input_.Want(magic_bytes_));
  const std::string_view in = input_.bytes();
  if (Starts(in)) {
    PENSTOCK_RETURN_IF_ERROR(Begin());
    in_part_ = true;
    return OkStatus();
  }
  if (parts_ > 0) {
    ended_ = true;
    return input_.ExpectOnlyPadding(names_.format);
  }
  return in.size() < magic_bytes_ && MayStart(in)
             ? Truncated()
             : input_.NotWrapped(names_.format);
}

Status JoinedStream::SkipPadding() {
  uint64_t zeros = 0;
  while (true) {
    PENSTOCK_RETURN_IF_ERROR(input_.Want(magic_bytes_));
    const std::string_view in = input_.bytes();
    const size_t some = std::min(in.find_first_not_of('\0'), in.size());
    input_.Consume(some);
    zeros += some;
    if (in.empty() || some < in.size()) break;
  }
  PENSTOCK_RETURN_IF_ERROR(input_.Want(magic_bytes_));
  const bool at_end = input_.bytes().empty();
  // What else follows is told as what it is.
  if (zeros % names_.padding_unit == 0 || !(at_end || Starts(input_.bytes()))) {
    return OkStatus();
  }
  return DataLossError(fmt::format(
      "{}: {} zero bytes {} {} {}s, before compressed offset {}; their "
      "number must be a multiple of {}",
      path(), zeros, at_end ? "behind" : "between", names_.format, names_.part,
      offset(), names_.padding_unit));
}

Status JoinedStream::Step(std::span<char> out, size_t& filled) {
  PENSTOCK_RETURN_IF_ERROR(input_.Want(1));
  const std::string_view in = input_.bytes();
  PENSTOCK_ASSIGN_OR_RETURN(const Decoded step,
                            Decode(in, out.subspan(filled)));
  input_.Consume(step.used);
  filled += step.made;
  if (step.ended) {
    in_part_ = false;
    ++parts_;
  } else if (step.used == 0 && step.made == 0) {
    return in.empty() ? Truncated() : Corrupt();
  }
  return OkStatus();
}

Status JoinedStream::Truncated() const {
  return DataLossError(fmt::format(
      "{}: {} {} ended before its end at compressed offset {} ({} "
      "{}); the file is cut off",
      path(), names_.format, names_.part, offset(), names_.part, parts_));
}

Status JoinedStream::Corrupt() const {
  return DataLossError(
      fmt::format("{}: corrupted {} data in {} {} near compressed offset {}",
                  path(), names_.format, names_.part, parts_, offset()));
}

Status JoinedStream::NoMemory() const {
  return ResourceExhaustedError(
      fmt::format("{}: no memory to decode {}", path(), names_.format));
}

}  // namespace penstock
