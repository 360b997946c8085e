// Tables behind each other in one piece of memory, to be used where they stand.
//
//   number   64 bits, as this machine writes them
//   text     its size as a number, its bytes
//   table    its size as a number, its values as they are in memory
//
// Sizes are followed by values at a multiple of 64 bytes, all else by zeros up
// to a multiple of 8.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "formats/files/status.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

class TableWriter {
 public:
  static constexpr size_t kAlignment = 64;

  void PutNumber(uint64_t number);
  void PutText(std::string_view text);
  // Values without padding, so that equal tables are equal bytes.
  template <typename T>
  void PutTable(const Table<T>& table) {
    static_assert(std::has_unique_object_representations_v<T> ||
                  std::is_same_v<T, float> || std::is_same_v<T, double>);
    PutNumber(table.size());
    Align(kAlignment);
    bytes_.append(reinterpret_cast<const char*>(table.data()),
                  table.size() * sizeof(T));
    Align(sizeof(uint64_t));
  }

  std::string_view bytes() const { return bytes_; }

 private:
  void Align(size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }

  std::string bytes_;
};

// What is asked for behind the end, or after Fail, is zero or empty, and then
// ok() is false.
class TableReader {
 public:
  // `bytes` begin at a multiple of 8, and must outlive the tables.
  explicit TableReader(std::string_view bytes) : bytes_(bytes) {}

  uint64_t Number();
  std::string_view Text();
  template <typename T>
  Table<T> TakeTable() {
    const uint64_t count = Number();
    Align(TableWriter::kAlignment);
    if (count > (bytes_.size() - at_) / sizeof(T)) Fail();
    if (!ok_) return {};
    const auto* const values = reinterpret_cast<const T*>(bytes_.data() + at_);
    at_ += count * sizeof(T);
    Align(sizeof(uint64_t));
    return Table<T>::Of({values, count});
  }

  // Unless `holds` this is not what the writer wrote.
  void Expect(bool holds) {
    if (!holds) Fail();
  }
  bool ok() const { return ok_; }

 private:
  void Fail() { ok_ = false; }
  void Align(size_t to) {
    at_ = std::min((at_ + to - 1) / to * to, bytes_.size());
  }

  const std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

// That a file of tables is no more what it was while `name` looked at it.
Status TablesCut(std::string_view name);

}  // namespace penstock
