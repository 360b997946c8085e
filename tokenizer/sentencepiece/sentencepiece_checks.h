// What a SentencePiece model must hold beside well-formed fields.
#pragma once

#include "formats/files/status.h"
#include "tokenizer/sentencepiece/sentencepiece_model.h"

namespace penstock {

// Turns a piece that is one NUL byte into an unused one if there is byte
// fallback, as sentencepiece does: converters write such a piece by mistake.
//
// Errors:  those of ParseSentencePieceModel, without the file's name.
Status CheckSentencePieceModel(SentencePieceModel& model);

}  // namespace penstock
