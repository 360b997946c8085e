// Rounds of records that are read one after the other: compressed files,
// corpora, TFRecord files without an index.
#pragma once

#include <memory>

#include "pipeline/read/record_cursor.h"
#include "pipeline/read/rounds.h"
#include "pipeline/read/sequence.h"

namespace penstock {

struct SequenceOptions {
  RoundOptions rounds;
  CursorOptions records;
};

// Going on from a state reads the epoch again from the file on that holds the
// first record that it still needs.
std::unique_ptr<RoundSource> MakeSequenceRounds(
    std::unique_ptr<Sequence> sequence, SequenceOptions options);

}  // namespace penstock
