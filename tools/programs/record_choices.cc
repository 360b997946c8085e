#include "tools/programs/record_choices.h"

namespace penstock {

std::vector<NamedValue<Compression>> CompressionChoices() {
  return {{"none", Compression::kNone},
          {"gzip", Compression::kGzip},
          {"zlib", Compression::kZlib}};
}

std::vector<NamedValue<FileKind>> FileKindChoices() {
  return {{"tfrecord", FileKind::kTfRecord},
          {"text", FileKind::kText},
          {"jsonl", FileKind::kJsonl},
          {"csv", FileKind::kCsv},
          {"tsv", FileKind::kTsv},
          {"tar", FileKind::kTar},
          {"zip", FileKind::kZip},
          {"7z", FileKind::k7z},
          {"webdataset", FileKind::kWebDataset}};
}

std::vector<NamedValue<FeatureEncoding>> TokenEncodingChoices() {
  return {{"int64", FeatureEncoding::kPlain},
          {"uint16", FeatureEncoding::kUint16},
          {"uint32", FeatureEncoding::kUint32}};
}

}  // namespace penstock
