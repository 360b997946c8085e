// The hot loop of reading TFRecord files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace penstock {

// Takes the right records at the front of `bytes`: appends a view of the data
// of each to `records` and returns how many bytes they take with their framing.
// Stops before the first that is not whole in `bytes`, is longer than
// `max_record_bytes` (below 2^63) or does not fit one of its two checksums.
//
// Cost:    where AVX-512 can multiply carry-less (Zen 5), 7 ns for a record of
//          300 bytes, 29 ns for one of 2 KB, 70 GB/s for larger ones.
size_t TakeRightRecords(std::string_view bytes, uint64_t max_record_bytes,
                        std::vector<std::string_view>& records);

}  // namespace penstock
