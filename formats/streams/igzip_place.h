// Where igzip's state may lie, so that what it writes does not depend on that.
#pragma once

#include <cstddef>
#include <string_view>

namespace penstock {

// What igzip 2.30 begins with at level 1 looks positions up in a table of 8,192
// slots, by a hash of the four bytes there. For the third position it hashes
// bits 16 to 47 of its state's address instead (write_first_byte of
// igzip_icf_body_h1_gr_bt.asm), and so puts that position into another slot.
// Where this is the slot of one of the first three positions, later bytes find
// another one to repeat, or none: the output may differ by some bytes. What it
// unpacks to is the same.
inline constexpr size_t kIgzipFirstBytes = 6;  // those that are hashed

// Whether a state there writes what nearly all others do, of a text that begins
// with `first`, kIgzipFirstBytes long. Not so at three of 8,192 addresses.
bool IgzipMayLieAt(const void* address, std::string_view first);

}  // namespace penstock
