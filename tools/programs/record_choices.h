// Words of the command line for what a TFRecord file is like.
#pragma once

#include <vector>

#include "formats/example/feature_spec.h"
#include "formats/records/record_reader.h"
#include "formats/streams/file_kind.h"
#include "tools/arguments/argument_group.h"

namespace penstock {

// "none", "gzip", "zlib".
std::vector<NamedValue<Compression>> CompressionChoices();
// "tfrecord", "text", "jsonl" ...: what a file is.
std::vector<NamedValue<FileKind>> FileKindChoices();
// "int64", "uint16", "uint32".
std::vector<NamedValue<FeatureEncoding>> TokenEncodingChoices();

}  // namespace penstock
