// Which characters normalization leaves alone, without walking its rules.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tokenizer/sentencepiece/charsmap.h"
#include "tokenizer/sentencepiece/run_bytes.h"
#include "tokenizer/sentencepiece/user_defined_symbols.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// Memory: 24 KiB.
//
// Threads: any number at a time.
class QuickChars {
 public:
  enum class Ascii : uint8_t {
    kLookUp,  // a rule or symbol may begin here
    kCopy,    // none does, if the next byte is ASCII too or the text ends
    kSpace,   // then it is a space, or becomes one
  };

  QuickChars(const Charsmap& charsmap, const UserDefinedSymbols& symbols);

  // What Load makes them of again, that look where `from` does.
  void Save(TableWriter& to) const;
  static QuickChars Load(TableReader& from);

  Ascii OfAscii(unsigned char byte) const { return ascii_[byte]; }

  // Bytes that are kCopy, or kSpace, with an ASCII byte after the last.
  struct Run {
    size_t size;      // up to kLooked
    uint64_t spaces;  // bit i: byte i is kSpace
  };
  static constexpr size_t kLooked = RunBytes::kBytes;
  // Some of those from `at` on, perhaps none; kLooked + 1 bytes may be read.
  Run RunAt(const char* at) const {
    if (!knows_runs_) return {};
    const RunBytes bytes(at);
    const uint64_t copied = bytes.visible |
                            (bytes.line_ends & line_ends_.copied) |
                            (bytes.tabs & tabs_.copied);
    const uint64_t spaces = bytes.spaces |
                            (bytes.line_ends & line_ends_.spaces) |
                            (bytes.tabs & tabs_.spaces);
    size_t size = std::countr_one(copied | spaces);
    if (size > 0 && static_cast<signed char>(at[size]) < 0) --size;
    return {size,
            size < kLooked ? spaces & ((uint64_t{1} << size) - 1) : spaces};
  }

  // No rule or symbol begins with the character at `at`, of `size` bytes, 2 or
  // 3, that [at, end) begins with.
  bool Stays(const char* at, size_t size, const char* end) const {
    const uint32_t code_point = CodePoint(at, size);
    if (Has(never_first_, code_point)) return true;
    if (!Has(never_alone_, code_point)) return false;
    // The rules from here have a second character.
    at += size;
    if (at == end || static_cast<unsigned char>(*at) < 0x80) return true;
    const auto lead = static_cast<unsigned char>(*at);
    if (lead < 0xc2 || lead >= 0xf0) return false;
    const size_t next_size = lead < 0xe0 ? 2 : 3;
    if (static_cast<size_t>(end - at) < next_size) return false;
    return !Has(second_, CodePoint(at, next_size));
  }

 private:
  static constexpr uint32_t kEnd = 0x10000;
  using Set = Table<uint64_t>;  // a bit for each code point below kEnd

  QuickChars() = default;

  static uint32_t CodePoint(const char* at, size_t size) {
    const auto* b = reinterpret_cast<const unsigned char*>(at);
    if (size == 2) return (b[0] & 0x1fu) << 6 | (b[1] & 0x3fu);
    return (b[0] & 0xfu) << 12 | (b[1] & 0x3fu) << 6 | (b[2] & 0x3fu);
  }
  static bool Has(const Set& set, uint32_t code_point) {
    return set[code_point / 64] >> code_point % 64 & 1;
  }
  static void Put(Set& set, uint32_t code_point, bool in);

  // All bits of bytes that are of a kind, or none.
  struct OfKind {
    uint64_t copied, spaces;
  };

  // What follows from `ascii_`.
  void FindRuns();
  void FillAscii(const Charsmap& charsmap, const UserDefinedSymbols& symbols);
  // Goes through the rules that follow `node`, reached by the first bytes of
  // characters from `first` on, `count` of them in all.
  void FillFrom(const Charsmap& charsmap, Charsmap::Node node, uint32_t first,
                uint32_t count);
  // Puts the characters into second_ that rules go on by. False if one goes on
  // by bytes that begin no character.
  bool FillSecond(const Charsmap& charsmap, Charsmap::Node node);
  bool FillTrails(const Charsmap& charsmap, Charsmap::Node node, uint32_t first,
                  uint32_t step);

  std::array<Ascii, 128> ascii_{};
  // Whether all of 0x21 to 0x7e are kCopy, and ' ' is kSpace.
  bool knows_runs_ = false;
  OfKind line_ends_{}, tabs_{};
  // No rule or symbol begins with it.
  Set never_first_ = Set(kEnd / 64, ~uint64_t{0});
  // No rule ends with it or before, no symbol begins with it, and what follows
  // it in rules are characters that are in second_ if they are below kEnd.
  Set never_alone_ = Set(kEnd / 64);
  Set second_ = Set(kEnd / 64);
};

}  // namespace penstock
