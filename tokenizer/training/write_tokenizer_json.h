// Writes a learned vocabulary as a tokenizer.json.
#pragma once

#include <string>
#include <string_view>

#include "tokenizer/training/bpe_training.h"

namespace penstock {

// The file that Hugging Face tokenizers' save() writes for the same tokenizer,
// byte for byte: a BPE model behind the pre-tokenizer ByteLevel, with a Split
// by `regex` before it unless that is GPT-2's. Special tokens are those of
// `learned`; nothing is put around a text.
std::string TokenizerJson(const LearnedBpe& learned, std::string_view regex);

}  // namespace penstock
