// Corpora -> sharded TFRecords with indexes and a manifest: the work of
// datagen.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/feature_spec.h"
#include "formats/files/callback.h"
#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "formats/open.h"
#include "formats/records/record_reader.h"
#include "tokenizer/interface/tokenizer.h"
#include "tools/programs/document_chunks.h"
#include "tools/programs/input_files.h"

namespace penstock {

struct ConversionOptions {
  std::vector<std::string> inputs;  // files, patterns or folders
  std::string output;               // a folder, made where it is missing
  std::string name;
  std::string split = "train";
  Corpus corpus;
  // Null writes the text as a bytes feature "text"; otherwise ids are written
  // as an int64 feature "tokens".
  std::shared_ptr<const Tokenizer> tokenizer;
  EncodeOptions encode;
  // A token put after each document; tokenized only.
  std::optional<TokenId> end_token;
  // Longer documents become several records; 0 leaves them whole. Tokenized
  // only. Nothing is lost.
  uint64_t max_tokens = 0;
  // How the ids lie in a record. kUint16 and kUint32 take two and four bytes
  // each and are read at the speed of a copy. Tokenized only.
  FeatureEncoding token_encoding = FeatureEncoding::kPlain;
  // 0: as many as the input has times shard_bytes.
  uint32_t shards = 0;
  uint64_t shard_bytes = 256ull << 20;
  Compression compression = Compression::kNone;
  // Also writes what TensorFlow Datasets wants beside the shards, where the
  // folder holds no other dataset. TFDS reads uncompressed shards alone.
  bool tfds = true;
  int threads = 0;  // 0 is one for each core
  // Replaces a dataset of the same name, which stays until the new one is
  // whole.
  bool overwrite = false;
  // Also reads what RefuseOwnOutput() refuses.
  bool allow_own_output = false;
  bool allow_empty = false;  // a dataset without any document
  bool quiet = false;        // no progress
  // Told what was found of runs that were cut off.
  Callback<void(std::string_view)> on_notice = nullptr;
  // Told what will be read, before it is.
  Callback<void(const InputFiles&)> on_found = nullptr;
  // Ends the conversion with kCancelled, which leaves no file.
  std::stop_token stop = {};
};

struct ConversionResult {
  uint64_t documents = 0;
  uint64_t records = 0;
  uint64_t text_bytes = 0;
  uint64_t tokens = 0;
  std::string pattern;   // "out/name-train.tfrecord@8"
  std::string manifest;  // its path
  std::string no_tfds;   // why there is no dataset_info.json; empty: there is
  InputFiles input;
  InputLosses losses;
};

// Record i goes to shard i mod shards, so the same input and options give the
// same bytes for any number of threads. At every instant the dataset is what
// was there before, or whole, or said to be half replaced by every reader of
// this library until the next run, which finishes that.
// Errors:  those of reading, tokenizing and writing; kAlreadyExists where the
//          dataset is there and overwrite is false; kUnavailable and
//          kFailedPrecondition where another process writes it, or where no
//          document was found.
// Memory:  about 4 MiB for each thread, up to 256 MiB of files whose turn is
//          yet to come (ParallelDocuments), and 8 MiB of the indexes, the rest
//          of which, 12 bytes a record, lies in a file beside the shards until
//          they are whole.
StatusOr<ConversionResult> ConvertCorpus(FileSystem& files,
                                         const ConversionOptions& options);

}  // namespace penstock
