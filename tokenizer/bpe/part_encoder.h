// Encodes new pieces part by part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/bpe/bpe.h"
#include "tokenizer/bpe/neighbours.h"
#include "tokenizer/bpe/part_results.h"
#include "tokenizer/bpe/short_merge.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/char_ids.h"
#include "tokenizer/pieces/piece_memory.h"
#include "tokenizer/vocabulary/char_cuts.h"
#include "tokenizer/vocabulary/char_trie.h"

namespace penstock {

// What is remembered of parts. `pieces` has parts and whole pieces: only those
// that are tokens which no merges make may have other ids than Bpe gives them.
struct PartMemory {
  PieceMemory& pieces;
  CharIds& chars;
  Neighbours& neighbours;
};

// Most parts are one character, which is remembered. Of others the longest
// tokens are taken, from left to right: nine of ten times that is what merging
// gives, which is so where all neighbours stay apart. That is asked of many
// pieces together, as the answers are all over memory. A part of which it does
// not hold is merged.
//
// Threads: one at a time.
class PartEncoder {
 public:
  // All must outlive it, a visit of `memory.pieces` too, and so must pieces
  // that are added. Bpe has cuts.
  PartEncoder(const Bpe& bpe, PartMemory memory, PartResults& results)
      : bpe_(bpe), memory_(memory), results_(results) {
    results_.Clear();
  }
  PartEncoder(const PartEncoder&) = delete;
  PartEncoder& operator=(const PartEncoder&) = delete;

  // Appends what Bpe::Encode does. To be called when nothing is added.
  void Encode(std::string_view piece, std::vector<TokenId>& ids);

  // The same for several pieces, before the first IdsOf.
  bool HasRoomFor(std::string_view piece) const {
    return results_.bytes + piece.size() <= kMostBytes;
  }
  // Returns its number, from 0 on.
  size_t Add(std::string_view piece);
  // Until the next call.
  std::span<const TokenId> IdsOf(size_t number);

 private:
  static_assert(CharIds::kMostIds <= PieceCache::kMaxIds);
  // Of pieces that are added, or of a longer one at a time.
  static constexpr size_t kMostBytes = size_t{1} << 15;
  // Of what a run becomes, and what its last part is merged from.
  static constexpr size_t kRoom =
      CharIds::kMostIds * (CharCuts::kMostRead + 1) + 2 * kMostMergedIds;

  // Bytes, and behind them characters [first, last] of a run.
  struct Part {
    Part(std::string_view text, const CharCuts::Run& run, size_t first,
         size_t last, size_t before);

    std::string_view text;
    const CharCuts::Run& run;
    size_t first;
    size_t last;
    size_t before;  // bytes
    // A bit for each of the run's places between two of these characters: a
    // token may have but some bytes of one of the two.
    uint64_t broken_places;
    // The same for each character.
    uint64_t broken;
  };

  struct Added {
    size_t bytes;
    // Behind them, of a part that is very long or has no cut behind it.
    size_t alone_bytes;
  };
  // Adds what `piece` begins with, up to a cut: not much more than kMostBytes.
  Added AddSome(std::string_view piece);
  void AnswerQuestions();

  // These write ids behind `out`, which are counted by `to` later, and return
  // where the next go: there is room for kRoom.
  TokenId* PutChar(CharCuts::Char c, std::string_view text, IdBuffer& to,
                   TokenId* out);
  // Of results_: there may be questions.
  TokenId* PutPart(const Part& part, TokenId* out);
  // Null where the part is not of characters that can be looked for.
  TokenId* PutLongest(const Part& part, TokenId* out);
  TokenId* PutRight(std::string_view part, IdBuffer& to, TokenId* out);
  TokenId* PutMerged(const Part& part, IdBuffer& to, TokenId* out);
  TokenId* PutRemembered(const Part& part, IdBuffer& to, TokenId* out);
  // Null where merging begins with too many ids.
  TokenId* MergeChars(const Part& part, TokenId* out);
  TokenId* PutNew(std::string_view text, IdBuffer& to, TokenId* out);
  // Writes what the character becomes alone; returns how many ids, 0 where they
  // are too large for CharIds.
  size_t IdsOfChar(CharCuts::Char c, std::string_view text, TokenId* out) {
    const size_t known = memory_.chars.CopyTo(c, out);
    return known != 0 ? known : LearnChar(c, text, out);
  }
  size_t LearnChar(CharCuts::Char c, std::string_view text, TokenId* out);

  const Bpe& bpe_;
  const PartMemory memory_;
  PartResults& results_;
  // Bpe's, once a piece came: they may be in a file that nobody needs yet.
  const CharCuts* cuts_ = nullptr;
  const CharTrie* chars_ = nullptr;
  const Derivations* derivations_ = nullptr;
};

}  // namespace penstock
