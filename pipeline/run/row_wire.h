// Decoded rows as bytes, on their way from the host that decoded them to one
// that feeds them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "formats/example/examples.h"
#include "formats/files/status_or.h"

namespace penstock {

// Appends row `row`: for each column its number of values and its values,
// numbers of 4 bytes where all are small, bytes with their size before them. Of
// a row's numbers only those from `begin` on, and no more than `count`, are
// written.
void WriteRow(const Examples& examples, size_t row, size_t begin, size_t count,
              std::string& out);

// Takes one row from the front of `bytes` and appends it to `out`, whose
// columns have the names and types of `columns`. Errors:  kInternal for bytes
// that WriteRow() did not write.
Status ReadRow(const Examples& columns, std::string_view& bytes, Examples& out);

}  // namespace penstock
