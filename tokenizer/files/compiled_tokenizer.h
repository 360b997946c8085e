// A tokenizer as tables, and back: byte-level BPE, a SentencePiece model, or
// the components of a tokenizer.json. Private to the loader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/files/compiled_file.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

// What goes with the tables of a tokenizer.
struct CompiledNotes {
  // All but the source that decided ids: compared bit for bit.
  std::string_view settings;
  // What was said while the source was loaded.
  std::vector<std::string> warnings;
};

// `soon` and `later` of compiled_file.h. False where `tokenizer` is of a kind
// that has no such form.
bool CompileTokenizer(const Tokenizer& tokenizer, const CompiledNotes& notes,
                      TableWriter& soon, TableWriter& later);

// Null where `file` holds no tokenizer, or one of other settings. `name` is the
// source's, for people. Replaces `warnings`.
//
// Cost:    what it takes to make the special tokens and the pre-tokenizer.
std::shared_ptr<const Tokenizer> TokenizerOfCompiled(
    const CompiledFile& file, const std::string& name,
    std::string_view settings, std::vector<std::string>& warnings);

// The frame, as a part of the others.
void SaveFrame(const EncodingFrame& frame, TableWriter& to);
EncodingFrame LoadFrame(TableReader& from);

}  // namespace penstock
