// Where a text can be cut before its components have seen it.
#pragma once

#include <memory>
#include <optional>

#include "tokenizer/components/component_tokenizer.h"
#include "tokenizer/splitters/raw_cutter.h"
#include "tokenizer/unicode/replace_byte.h"

namespace penstock {

// Null where what becomes of a word depends on what stands around it.
std::unique_ptr<const RawCutter> CutterFor(const TokenizerComponents& parts);

// Cuts within what the splitter leaves in one piece, where the model joins
// nothing. Null where it may.
std::unique_ptr<const RawCutter> CutterInside(const TokenizerComponents& parts);

// What stands for a byte, which may be that byte itself, where that is all that
// becomes of text before the model has it, which EncodesBetween.
std::optional<ByteReplacement> ReplacementIn(const TokenizerComponents& parts);

}  // namespace penstock
