#include "formats/tokens/megatron_tokens.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>
#include <span>

#include "formats/files/crc32c.h"
#include "formats/files/file_sample.h"
#include "formats/files/mapped_bytes.h"

namespace penstock {
namespace {

// Offset  Bytes  Of the .idx, little-endian and without alignment
//      0      9  magic
//      9      8  version, 1
//     17      1  type of the tokens
//     18      8  S, sequences
//     26      8  D, documents and one
//     34     4S  tokens of each sequence, int32
//  34+4S     8S  where each begins in the .bin, in bytes
// 34+12S     8D  the first sequence of each document, then S
constexpr std::string_view kMagic("MMIDIDX\0\0", 9);
constexpr uint64_t kHeaderBytes = 34;
constexpr uint64_t kStride = 64;
// Pages that are mapped count as memory of the process.
constexpr uint64_t kMostMappedBytes = 1 << 30;

template <typename T>
T LoadAt(std::string_view bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <typename T>
void Widen(std::string_view bytes, std::vector<int64_t>& to) {
  const size_t before = to.size();
  const size_t count = bytes.size() / sizeof(T);
  to.resize(before + count);
  for (size_t i = 0; i < count; ++i) {
    to[before + i] = static_cast<int64_t>(LoadAt<T>(bytes, i * sizeof(T)));
  }
}

Status BadIndex(const std::string& path, const std::string& what) {
  return DataLossError(fmt::format(
      "{}: {}: it is no .idx of Megatron-LM, or damaged", path, what));
}

StatusOr<TokenType> TypeOf(const std::string& path, uint8_t code) {
  switch (code) {
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 8:
      return static_cast<TokenType>(code);
    case 6:
    case 7:
      return UnimplementedError(
          fmt::format("{}: its numbers are {}, which are no tokens", path,
                      code == 6 ? "float64" : "float32"));
    default:
      return BadIndex(path, fmt::format("type {} of numbers is none", code));
  }
}

std::string WithoutExtension(const std::string& path) {
  const bool named = path.ends_with(".bin") || path.ends_with(".idx");
  return named ? path.substr(0, path.size() - 4) : path;
}

// Of the name without folders, the size and some bytes.
StatusOr<uint64_t> FingerprintOf(const ReadableFile& file) {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, file.Stat());
  PENSTOCK_ASSIGN_OR_RETURN(const uint32_t sample,
                            SampleFile(file, info.size_bytes));
  const std::string& path = file.path();
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::string all =
      fmt::format("{} {} {}", name, info.size_bytes, sample);
  return uint64_t{sample} << 32 | Crc32c(all);
}

}  // namespace

uint64_t SizeBytes(TokenType type) {
  switch (type) {
    case TokenType::kUint8:
    case TokenType::kInt8:
      return 1;
    case TokenType::kInt16:
    case TokenType::kUint16:
      return 2;
    case TokenType::kInt32:
      return 4;
    case TokenType::kInt64:
      break;
  }
  return 8;
}

void AppendTokens(std::string_view bytes, TokenType type,
                  std::vector<int64_t>& to) {
  switch (type) {
    case TokenType::kUint8:
      return Widen<uint8_t>(bytes, to);
    case TokenType::kInt8:
      return Widen<int8_t>(bytes, to);
    case TokenType::kInt16:
      return Widen<int16_t>(bytes, to);
    case TokenType::kUint16:
      return Widen<uint16_t>(bytes, to);
    case TokenType::kInt32:
      return Widen<int32_t>(bytes, to);
    case TokenType::kInt64:
      return Widen<int64_t>(bytes, to);
  }
}

StatusOr<std::unique_ptr<MegatronTokens>> MegatronTokens::Open(
    FileSystem& files, const std::string& path) {
  std::unique_ptr<MegatronTokens> tokens(new MegatronTokens);
  const std::string name = WithoutExtension(path);
  PENSTOCK_ASSIGN_OR_RETURN(const auto index, files.OpenForRead(name + ".idx"));
  PENSTOCK_RETURN_IF_ERROR(tokens->ReadIndex(*index));
  PENSTOCK_ASSIGN_OR_RETURN(tokens->bin_, files.OpenForRead(name + ".bin"));
  PENSTOCK_RETURN_IF_ERROR(tokens->CheckData());
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t of_index, FingerprintOf(*index));
  PENSTOCK_ASSIGN_OR_RETURN(const uint64_t of_data,
                            FingerprintOf(*tokens->bin_));
  tokens->fingerprint_ = of_data * 0x9e3779b97f4a7c15 ^ of_index;
  return tokens;
}

Status MegatronTokens::ReadIndex(const ReadableFile& file) {
  const std::string& path = file.path();
  PENSTOCK_ASSIGN_OR_RETURN(const auto mapped, MapOrCopy(file));
  const std::string_view bytes = mapped->bytes();
  if (!bytes.starts_with(kMagic)) {
    return BadIndex(path, "it does not begin with MMIDIDX");
  }
  if (bytes.size() < kHeaderBytes) {
    return BadIndex(
        path, fmt::format("its {} bytes are less than a header", bytes.size()));
  }
  if (const auto version = LoadAt<uint64_t>(bytes, 9); version != 1) {
    return UnimplementedError(
        fmt::format("{}: version {}, and only 1 is known", path, version));
  }
  PENSTOCK_ASSIGN_OR_RETURN(type_, TypeOf(path, LoadAt<uint8_t>(bytes, 17)));
  const auto sequences = LoadAt<uint64_t>(bytes, 18);
  const auto bounds = LoadAt<uint64_t>(bytes, 26);
  const uint64_t most = bytes.size() / 8;  // far from overflow
  const uint64_t wanted = sequences > most || bounds > most
                              ? std::numeric_limits<uint64_t>::max()
                              : kHeaderBytes + 12 * sequences + 8 * bounds;
  if (wanted != std::numeric_limits<uint64_t>::max() &&
      bytes.size() == wanted + sequences && sequences > 0) {
    return UnimplementedError(fmt::format(
        "{}: its sequences are of several modes, not of tokens alone", path));
  }
  if (bytes.size() != wanted) {
    return BadIndex(
        path, fmt::format("its {} bytes do not fit {} sequences and {} bounds "
                          "of documents",
                          bytes.size(), sequences, bounds));
  }
  lengths_.reserve(sequences);
  uint64_t offset = 0;
  for (uint64_t i = 0; i < sequences; ++i) {
    const auto length = LoadAt<int32_t>(bytes, kHeaderBytes + 4 * i);
    const auto begins =
        LoadAt<uint64_t>(bytes, kHeaderBytes + 4 * sequences + 8 * i);
    if (length < 0 || begins != offset) {
      return BadIndex(path, fmt::format("sequence {} has {} tokens from byte "
                                        "{} on, where {} is due",
                                        i, length, begins, offset));
    }
    if (i % kStride == 0) offsets_.push_back(offset);
    lengths_.push_back(static_cast<uint32_t>(length));
    offset += static_cast<uint64_t>(length) * SizeBytes(type_);
  }
  size_bytes_ = offset;
  uint64_t last = 0;
  for (uint64_t d = 0; d < bounds; ++d) {
    const auto bound =
        LoadAt<uint64_t>(bytes, kHeaderBytes + 12 * sequences + 8 * d);
    if (bound < last || bound > sequences || (d == 0 && bound != 0)) {
      return BadIndex(
          path, fmt::format("bound {} of documents is sequence {}", d, bound));
    }
    last = bound;
  }
  if (bounds == 0 || last != sequences) {
    return BadIndex(path, fmt::format("its documents end with sequence {} of "
                                      "{}",
                                      last, sequences));
  }
  documents_ = bounds - 1;
  if (!mapped->intact()) {
    return FailedPreconditionError(
        fmt::format("{}: it was cut off while it was read", path));
  }
  return OkStatus();
}

Status MegatronTokens::CheckData() {
  PENSTOCK_ASSIGN_OR_RETURN(const FileInfo info, bin_->Stat());
  if (info.size_bytes < size_bytes_) {
    return DataLossError(fmt::format(
        "{}: it has {} bytes, but its .idx says {}: the rest is lost, or the "
        ".idx is of another file",
        bin_->path(), info.size_bytes, size_bytes_));
  }
  if (info.size_bytes > size_bytes_) {
    return FailedPreconditionError(fmt::format(
        "{}: it has {} bytes, but its .idx knows only {}: the .idx is of "
        "another file, or the .bin is still being written",
        bin_->path(), info.size_bytes, size_bytes_));
  }
  if (size_bytes_ <= kMostMappedBytes) mapped_ = bin_->Map(0, size_bytes_);
  return OkStatus();
}

uint64_t MegatronTokens::table_bytes() const {
  return lengths_.capacity() * sizeof(uint32_t) +
         offsets_.capacity() * sizeof(uint64_t);
}

uint64_t MegatronTokens::OffsetOf(uint64_t sequence) const {
  uint64_t tokens = 0;
  for (uint64_t i = sequence / kStride * kStride; i < sequence; ++i) {
    tokens += lengths_[i];
  }
  return offsets_[sequence / kStride] + tokens * SizeBytes(type_);
}

Status MegatronTokens::Append(uint64_t sequence, std::string& out) const {
  const uint64_t offset = OffsetOf(sequence);
  const uint64_t size = SizeOf(sequence);
  const size_t before = out.size();
  uint64_t got = size;
  if (mapped_ != nullptr) {
    out.append(mapped_->bytes().substr(offset, size));
    if (!mapped_->intact()) got = 0;
  } else {
    out.resize(before + size);
    PENSTOCK_ASSIGN_OR_RETURN(
        got, bin_->ReadAt(offset, std::span(out).subspan(before)));
  }
  if (got == size) return OkStatus();
  return FailedPreconditionError(
      fmt::format("{}: the file was cut off", Locate(sequence)));
}

std::string MegatronTokens::Locate(uint64_t sequence) const {
  return fmt::format("{}: sequence {} at offset {}", path(), sequence,
                     OffsetOf(sequence));
}

}  // namespace penstock
