// What the library calls the field of an options struct, the programs call a
// flag.
#pragma once

#include "formats/files/status.h"

namespace penstock {

// `status` with "--max-record-bytes" where its message says "max_record_bytes",
// and so on for each flag of CorpusOptions.
Status WithFlagWords(const Status& status);

}  // namespace penstock
