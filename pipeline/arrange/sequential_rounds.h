// Rounds of records that are read one after the other: compressed files,
// corpora, TFRecord files without an index.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/open.h"
#include "pipeline/arrange/rounds.h"
#include "pipeline/order/order.h"

namespace penstock {

// Every host reads all files and keeps its own records; a window of
// order.window_records is held in memory while it lasts. Restoring reads the
// epoch again up to the state's position.
std::unique_ptr<RoundSource> MakeSequentialRounds(
    FileSystem& files, std::vector<std::string> paths, OpenOptions open,
    OrderOptions order, uint64_t files_bytes, RoundOptions options);

}  // namespace penstock
