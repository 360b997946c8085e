#include "tokenizer/vocabulary/stored_tables.h"

#include <fmt/format.h>

#include <cstring>

namespace penstock {

void TableWriter::PutNumber(uint64_t number) {
  bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

void TableWriter::PutText(std::string_view text) {
  PutNumber(text.size());
  bytes_.append(text);
  Align(sizeof(uint64_t));
}

uint64_t TableReader::Number() {
  uint64_t number = 0;
  Expect(bytes_.size() - at_ >= sizeof(number));
  if (!ok_) return 0;
  std::memcpy(&number, bytes_.data() + at_, sizeof(number));
  at_ += sizeof(number);
  return number;
}

std::string_view TableReader::Text() {
  const uint64_t size = Number();
  Expect(size <= bytes_.size() - at_);
  if (!ok_) return {};
  const std::string_view text = bytes_.substr(at_, size);
  at_ += size;
  Align(sizeof(uint64_t));
  return text;
}

Status TablesCut(std::string_view name) {
  return DataLossError(
      fmt::format("{}: its compiled form was cut off or written over in place "
                  "while it was in use; load it again",
                  name));
}

}  // namespace penstock
