// Takes the long bytes values out of a tf.train.Example while it comes, so that
// each of their bytes is copied once.
#pragma once

#include <cstdint>
#include <span>

#include "formats/example/example_parser.h"
#include "formats/files/function_ref.h"

namespace penstock {

// Puts the next bytes of a record there, as many as there is room. False where
// that cannot be.
using TakeNext = FunctionRef<bool(std::span<char>)>;

// Takes the `size_bytes` of a record, each once and in order. Values, of
// kLongValueBytes at least, go to where they are wanted and all else to `rest`:
// an Example to which an ExampleParser gives the meaning of the record, but
// that the values which were found are empty there, and which it refuses where
// it would refuse the record. Nothing but sizes is believed of the bytes, and
// those only inside of the record, so that they may be proven behind the last.
//
// False, perhaps with some values written, where `take` gives up and for
// records that are not as writers make them: features that are not one field up
// to the end; a value of another size, not alone in its list or there twice;
// more than ExampleRest::kMostBytes of anything else.
// Threads: any number at a time.
bool TakeLongValues(uint64_t size_bytes, std::span<LongValue> values,
                    TakeNext take, ExampleRest& rest);

}  // namespace penstock
