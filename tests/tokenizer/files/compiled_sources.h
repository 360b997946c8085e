// Sources of every kind that has a compiled form, small ones, and how to tell
// tokenizers apart.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/forwarding_files.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/load.h"

namespace penstock::testing {

struct CompiledSourceCase {
  std::string name;  // of the file
  std::string bytes;
  LoadOptions options = {};
  std::string merges = {};  // of a vocab.json, in a file beside it
};
const std::vector<CompiledSourceCase>& CompiledSourceCases();

// Everything that a user can see of `tokenizer`, one thing a line.
std::string Portrait(const Tokenizer& tokenizer);

// So long ago that its time tells whether it changed.
void MakeOld(const std::string& path);

// Local files that tell what was opened to be read, and cannot write into a
// folder.
class WatchedFiles final : public ForwardingFiles {
 public:
  explicit WatchedFiles(std::string read_only_folder = "?")
      : ForwardingFiles(LocalFiles()),
        read_only_(std::move(read_only_folder)) {}

  StatusOr<std::unique_ptr<ReadableFile>> OpenForRead(
      const std::string& path) override;
  StatusOr<std::unique_ptr<WritableFile>> OpenForWrite(
      const std::string& path) override;

  // Whether a path that ends so was opened to be read since the last call.
  bool HasRead(const std::string& ending);

 private:
  const std::string read_only_;
  std::vector<std::string> opened_;
};

}  // namespace penstock::testing
