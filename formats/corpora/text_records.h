// What the readers of text files share: blocks of records cut out of a buffer,
// each with the number of its line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/corpora/text_buffer.h"
#include "formats/corpora/utf8_check.h"
#include "formats/files/status_or.h"
#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"

namespace penstock {

// What is asked of each record.
struct TextRules {
  NotUtf8 invalid_utf8 = NotUtf8::kKeep;
  BadPart part = BadPart::kDocument;  // what a record is
  OnBadPart on_bad_part = nullptr;
};

// Threads: one at a time.
class TextRecords : public RecordReader {
 public:
  StatusOr<std::optional<RecordBlock>> NextBlock() final;
  std::string Locate(size_t i) const final;
  const std::string& path() const final { return buffer_.path(); }

 protected:
  // `unit` is what messages call a piece of text that gives one record.
  TextRecords(std::unique_ptr<ByteStream> stream, size_t buffer_bytes,
              uint64_t max_record_bytes, std::string_view unit,
              TextRules rules = {});

  // Cuts whole records from the front of `text`, which begins at line(), by
  // Add() and PassLine(). Returns how many bytes are dealt with: all of them
  // where `at_end` says that nothing follows. `text` may be written to; it lies
  // still until the next block and has TextBuffer::kPaddingBytes behind it.
  // After an error nothing is asked for any more; what was added is delivered.
  virtual StatusOr<size_t> Cut(std::span<char> text, bool at_end) = 0;

  // Asked once all bytes were cut, for files that must not end so.
  virtual Status CheckEnd() const { return OkStatus(); }

  // The record begins at line().
  // Errors:  kResourceExhausted for one over the limit.
  Status Add(std::string_view record);
  Status CheckSize(uint64_t size_bytes) const;

  uint64_t line() const { return line_; }
  void PassLines(uint64_t count) { line_ += count; }
  // "f.txt:17".
  std::string LocateLine() const;

  // Where byte `offset` of record `i` of the block lies, for messages:
  // "f.txt:17: byte 3 of the line".
  virtual std::string LocateByte(size_t i, size_t offset) const;

  // The option that a record of too many bytes is against.
  virtual std::string_view limit_name() const { return "max_record_bytes"; }

 private:
  Status FindRecords();
  // Takes out of the records cut from `text` those that are against the rules.
  Status CheckRecords(std::string_view text);
  Status FaultOf(size_t i, TextFault fault) const;

  TextBuffer buffer_;
  const uint64_t max_record_bytes_;
  const std::string_view unit_;
  const TextRules rules_;

  uint64_t line_ = 1;  // of the first byte not dealt with
  uint64_t first_ = 0;
  std::vector<std::string_view> records_;
  std::vector<uint64_t> lines_;     // [records]
  std::deque<std::string> mended_;  // those of the block that were not UTF-8
  size_t used_ = 0;                 // bytes of the block given last
  bool at_end_ = false;
  Status failed_;
};

// The line at the front of `text`, with its end taken off it; nullopt where the
// end is not there and more may come. `size` is its size with the end.
struct Line {
  std::string_view text;
  size_t size = 0;
};
std::optional<Line> FirstLine(std::string_view text, bool at_end);

}  // namespace penstock
