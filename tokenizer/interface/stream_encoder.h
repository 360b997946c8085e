// Text -> ids, while the text comes in.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// The ids of a text that is given in chunks, cut anywhere, are those of the
// whole text.
//
// Memory:  what may still become other ids: since the last place that
//          Tokenizer::SafeCut finds, up to twice as much as it looked at
//          before. Byte-level BPE finds one behind most words, with a known
//          pattern or any whose matches end there (behind_letters.h); a
//          tokenizer.json whose pre-tokenizer begins with BertPreTokenizer,
//          Whitespace, WhitespaceSplit or a Metaspace that splits, behind
//          normalizers that look at no more than marks, before each space,
//          unless an added token holds or strips spaces. All others, and files
//          that truncate or pad, hold the whole text: SentencePiece's unigram
//          rounds the sum of all scores so far.
// Threads: one at a time. `tokenizer` must outlive this.
// Errors:  those of Tokenizer::Encode, saying where the text they count offsets
//          in begins. After an error nothing more can be given.
class StreamEncoder {
 public:
  explicit StreamEncoder(const Tokenizer& tokenizer,
                         EncodeOptions options = {});

  // Appends the ids that are certain. `ids` may be another vector each time.
  Status Add(std::string_view chunk, std::vector<TokenId>& ids);
  // Appends the rest. Then another text may begin.
  Status Finish(std::vector<TokenId>& ids);

  // Of text that is not ids yet.
  size_t held_bytes() const { return held_.size(); }

 private:
  Status Encode(std::string_view part, std::vector<TokenId>& ids);

  const Tokenizer& tokenizer_;
  const EncodeOptions options_;
  const std::optional<Affixes> affixes_;  // nullopt: only whole texts
  std::string held_;
  size_t look_at_ = 0;  // the size at which to look for a place to cut
  size_t done_bytes_ = 0;
  bool started_ = false;
};

}  // namespace penstock
