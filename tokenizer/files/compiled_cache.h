// Where compiled tokenizers are kept: beside their sources, or in a folder of
// the user's. Private to the loader.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// For one load of one source. Whatever is wrong with what is kept, or with
// keeping it, is as if nothing was kept.
//
// Threads: one at a time; any number of these, in any processes, at once.
class CompiledCache {
 public:
  // `settings` is all but the source that decides ids. An empty `folder` is
  // that which PENSTOCK_CACHE names ("off": nothing is kept), else the source's
  // own or, where that cannot be written, XDG_CACHE_HOME/penstock. Sources of
  // less than `least_bytes` are not worth it.
  CompiledCache(FileSystem& files, std::string source, std::string settings,
                const std::string& folder, uint64_t least_bytes);

  // Null where it is not kept. Appends to `warnings`.
  std::shared_ptr<const Tokenizer> Find(
      std::vector<std::string>& warnings) const;

  // `tokenizer` was made of `bytes`, the source's, with these warnings.
  void Keep(const Tokenizer& tokenizer, std::string_view bytes,
            const std::vector<std::string>& warnings) const;

 private:
  FileSystem& files_;
  const std::string source_;
  const std::string settings_;
  std::optional<FileInfo> info_;     // before anything was read
  std::vector<std::string> places_;  // paths, the best first
};

}  // namespace penstock
