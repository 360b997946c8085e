// Bytes in memory as a stream, for what lies inside another file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "formats/streams/byte_stream.h"

namespace penstock {

// `bytes` must outlive the stream. `path` is what messages call them:
// "corpus.tar!dir/a.jsonl".
std::unique_ptr<ByteStream> MakeMemoryStream(std::string path,
                                             std::string_view bytes);

}  // namespace penstock
