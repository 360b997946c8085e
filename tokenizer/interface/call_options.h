// What a call that encodes may ask for.
#pragma once

#include <cstddef>

namespace penstock {

// What happens to the text of a special token ("<|endoftext|>") in the input.
enum class SpecialText {
  kAllow,   // becomes the special token's id
  kRefuse,  // is kInvalidArgument naming the token and its offset
  kAsText,  // is tokenized like any other text
};

// What happens to bytes that are not UTF-8.
enum class InvalidUtf8 {
  kAsReference,  // what each tokenizer says it does with them
  kRefuse,       // is kInvalidArgument naming their offset
};

struct EncodeOptions {
  SpecialText special_text = SpecialText::kAllow;
  InvalidUtf8 invalid_utf8 = InvalidUtf8::kAsReference;
  // Adds what the file's post-processor adds around a text (BOS, [CLS] ...).
  bool add_special_tokens = true;
  // False for a part that follows a place of Tokenizer::SafeCut: it gets no
  // prefix that the file gives a text.
  bool begins_text = true;
};

struct EncodeBatchOptions {
  // How many encode, the caller among them: texts side by side, and parts of
  // texts that can be cut (StreamEncoder). The others are the call's own, so
  // that it pays for batches of many megabytes.
  size_t threads = 1;
};

}  // namespace penstock
