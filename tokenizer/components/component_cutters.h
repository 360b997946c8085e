// Where a text can be cut before its components have seen it.
#pragma once

#include <memory>

#include "tokenizer/components/component_tokenizer.h"
#include "tokenizer/splitters/raw_cutter.h"

namespace penstock {

// Null where what becomes of a word depends on what stands around it.
std::unique_ptr<const RawCutter> CutterFor(const TokenizerComponents& parts);

// Cuts within what the splitter leaves in one piece, where the model joins
// nothing. Null where it may.
std::unique_ptr<const RawCutter> CutterInside(const TokenizerComponents& parts);

}  // namespace penstock
