// The token files of Megatron-LM: sequences of tokens in a .bin, how long each
// is in an .idx. docs/formats/megatron_tokens.md has the layout.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// As the .idx names them; those of floats are none of tokens.
enum class TokenType : uint8_t {
  kUint8 = 1,
  kInt8 = 2,
  kInt16 = 3,
  kInt32 = 4,
  kInt64 = 5,
  kUint16 = 8,
};

uint64_t SizeBytes(TokenType type);

// Appends tokens that lie one after the other, little-endian.
void AppendTokens(std::string_view bytes, TokenType type,
                  std::vector<int64_t>& to);

// A pair of files. Immutable.
//
// Threads: any number at a time.
// Memory:  4 bytes a sequence and 8 for each 64 of them. A .bin of up to 1 GiB
//          is mapped where it can be, a larger one read.
class MegatronTokens {
 public:
  // `path` names both: "corpus_text_document", or with .bin or .idx.
  // Cost:    reads the .idx once and checks all of it.
  // Errors:  those of opening and reading; kDataLoss for an .idx that is
  //          damaged or no such file, and a .bin that is shorter than it says;
  //          kFailedPrecondition for a .bin that is longer; kUnimplemented for
  //          other versions, numbers that are no tokens, and sequences of
  //          several modes.
  static StatusOr<std::unique_ptr<MegatronTokens>> Open(
      FileSystem& files, const std::string& path);

  uint64_t sequences() const { return lengths_.size(); }
  // Each of some sequences that follow each other; told, not used.
  uint64_t documents() const { return documents_; }
  TokenType type() const { return type_; }
  // [sequences]: their tokens.
  const std::vector<uint32_t>& lengths() const { return lengths_; }
  // Of the .bin, which has nothing but tokens.
  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t SizeOf(uint64_t sequence) const {
    return lengths_[sequence] * SizeBytes(type_);
  }
  // Of tables, and of pages that are mapped.
  uint64_t table_bytes() const;
  uint64_t mapped_bytes() const { return mapped_ == nullptr ? 0 : size_bytes_; }
  // Of names without folders, sizes and samples of both files.
  uint64_t fingerprint() const { return fingerprint_; }
  // "corpus_text_document.bin"
  const std::string& path() const { return bin_->path(); }

  // Appends the bytes of its tokens.
  // Errors:  those of reading; kFailedPrecondition where the file was cut off.
  Status Append(uint64_t sequence, std::string& out) const;
  // "corpus_text_document.bin: sequence 17 at offset 4096"
  std::string Locate(uint64_t sequence) const;

 private:
  MegatronTokens() = default;

  Status ReadIndex(const ReadableFile& file);
  Status CheckData();
  uint64_t OffsetOf(uint64_t sequence) const;

  TokenType type_ = TokenType::kInt32;
  uint64_t documents_ = 0;
  uint64_t size_bytes_ = 0;
  uint64_t fingerprint_ = 0;
  std::vector<uint32_t> lengths_;
  std::vector<uint64_t> offsets_;  // of every kStride-th sequence
  std::unique_ptr<ReadableFile> bin_;
  std::unique_ptr<FileBytes> mapped_;  // null where it cannot be
};

}  // namespace penstock
