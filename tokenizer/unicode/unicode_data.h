// What kind of character a code point is, as pre-tokenizer patterns ask.
//
// Unicode 16.0, the version of the references we compare with. The tables are
// generated: generate_unicode_data.py names their source.
#pragma once

#include <cstdint>

namespace penstock {

// "16.0.0".
extern const char kUnicodeVersion[];

// Bits of a character's class. A code point without any is a control or
// unassigned.
enum CharClass : uint8_t {
  kLetter = 1,  // \p{L}
  kNumber = 2,  // \p{N}
  kSpace = 4,   // \s: White_Space, 25 code points
  kMark = 8,    // \p{M}
  kUpper = 16,  // \p{Lu} and \p{Lt}, with kLetter
  kLower = 32,  // \p{Ll}, with kLetter
  kSign = 64,   // \p{P} and \p{S}
};

namespace unicode_data {
extern const uint8_t kBlockOf[];
extern const uint8_t kClasses[];
}  // namespace unicode_data

// `code_point` < 0x110000.
//
// Cost:    two loads from about 40 KiB.
inline uint8_t ClassOf(uint32_t code_point) {
  return unicode_data::kClasses[unicode_data::kBlockOf[code_point >> 8] * 256u +
                                (code_point & 255)];
}

// `byte` < 0x80. The first block of kClasses is that of code point 0.
inline uint8_t ClassOfAscii(unsigned char byte) {
  return unicode_data::kClasses[byte];
}

}  // namespace penstock
