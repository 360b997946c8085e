// Encodes new pieces part by part: most of their parts are known.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/bpe.h"
#include "tokenizer/bpe/neighbours.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/char_ids.h"
#include "tokenizer/pieces/piece_memory.h"
#include "tokenizer/vocabulary/char_cuts.h"

namespace penstock {

// What is remembered of parts. `pieces` has parts and whole pieces: who gives
// some pieces other ids than Bpe does must not share it.
struct PartMemory {
  PieceMemory& pieces;
  CharIds& chars;
  Neighbours& neighbours;
};

// Threads: one at a time.
class PartEncoder {
 public:
  // All must outlive it, a visit of `memory.pieces` too.
  PartEncoder(const Bpe& bpe, const CharCuts& cuts, PartMemory memory,
              std::vector<TokenId>& ids)
      : bpe_(bpe), cuts_(cuts), memory_(memory), ids_(ids) {}
  PartEncoder(const PartEncoder&) = delete;
  PartEncoder& operator=(const PartEncoder&) = delete;

  // Appends what Bpe::Encode does.
  void Encode(std::string_view piece);

 private:
  static_assert(CharIds::kMostIds <= PieceCache::kMaxIds);

  // Bytes, and behind them characters [first, last] of a run.
  struct Part {
    Part(std::string_view text, const CharCuts::Run& run, size_t first,
         size_t last, size_t before);

    std::string_view text;
    const CharCuts::Run& run;
    size_t first;
    size_t last;
    size_t before;  // bytes
    // A bit for each of the run's characters: a token of the part may have but
    // some of its bytes.
    uint64_t broken;
  };

  // These write ids behind `out`, in known_, and return their end.
  TokenId* PutChar(CharCuts::Char c, std::string_view text, TokenId* out);
  TokenId* PutPart(const Part& part, TokenId* out);
  TokenId* PutRemembered(const Part& part, TokenId* out);
  // Null where merging begins with too many ids.
  TokenId* MergeChars(const Part& part, TokenId* out);
  // Writes what the character becomes alone; returns how many ids, 0 where they
  // are too large for CharIds.
  size_t IdsOfChar(CharCuts::Char c, std::string_view text, TokenId* out);
  size_t LearnChar(CharCuts::Char c, std::string_view text, TokenId* out);
  // Appends those of known_ up to `out`, then the text's, which it returns.
  std::span<const TokenId> EncodeNew(std::string_view text, const TokenId* out);
  void Flush(const TokenId* out);

  const Bpe& bpe_;
  const CharCuts& cuts_;
  const PartMemory memory_;
  std::vector<TokenId>& ids_;
  // Of the parts of one run: what is to be appended yet.
  std::array<TokenId, (CharCuts::kMostRead + 1) * PieceCache::kMaxIds> known_;
};

}  // namespace penstock
