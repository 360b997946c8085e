// Rounds of records that are read one after the other by every host, which
// keeps its own: compressed files, corpora, TFRecord files without an index.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/open.h"
#include "pipeline/read/record_cursor.h"
#include "pipeline/read/rounds.h"

namespace penstock {

struct SequenceOptions {
  RoundOptions rounds;
  CursorOptions records;
};

// Going on from a state reads the epoch again from the file on that holds the
// first record that it still needs.
std::unique_ptr<RoundSource> MakeSequenceRounds(FileSystem& files,
                                                std::vector<std::string> paths,
                                                OpenOptions open,
                                                SequenceOptions options);

}  // namespace penstock
