// Byte-level BPE, whichever file it came from.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tokenizer/bpe/bpe.h"
#include "tokenizer/bpe/bpe_dropout.h"
#include "tokenizer/bpe/bpe_parts.h"
#include "tokenizer/bpe/framed_tokenizer.h"
#include "tokenizer/bpe/lane_merges.h"
#include "tokenizer/bpe/merge_table.h"
#include "tokenizer/bpe/neighbours.h"
#include "tokenizer/bpe/new_pieces.h"
#include "tokenizer/bpe/part_results.h"
#include "tokenizer/bpe/piece_batch.h"
#include "tokenizer/interface/thread_slots.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/pieces/char_ids.h"
#include "tokenizer/vocabulary/special_tokens.h"

namespace penstock {

// Text that is not valid UTF-8 is taken as it is: see pretokenizer.h.
//
// Errors of all, of one made of mapped tables: kDataLoss where their file was
// cut off under it.
// Errors of Encode, beside refused special text: kInvalidArgument naming a byte
// that the vocabulary has no token for, and for one piece of 4 GiB or more.
class BpeTokenizer final : public FramedTokenizer {
 public:
  // Ids of `parts.specials` are either new or their text's in the vocabulary.
  BpeTokenizer(BpeParts parts, Bpe bpe, EncodingFrame frame);
  // One with these parts(), bpe(), frame() and Fingerprint() as there has been
  // before; `tables` is where the first two look.
  BpeTokenizer(BpeParts parts, Bpe bpe, EncodingFrame frame,
               uint64_t fingerprint, std::shared_ptr<const FileBytes> tables);

  // The vocabulary has the special tokens, too, for decoding.
  const BpeParts& parts() const { return parts_; }
  const Bpe& bpe() const { return bpe_; }

  Status EncodeBare(std::string_view text, EncodeOptions options,
                    std::vector<TokenId>& ids,
                    std::vector<TokenOrigin>& origins,
                    std::vector<std::string>& surfaces) const override;
  size_t SafeCut(std::string_view text) const override;
  Status Decode(std::span<const TokenId> ids, DecodeOptions options,
                std::string& text) const override;
  std::unique_ptr<StreamDecoder> NewStreamDecoder(
      DecodeOptions options) const override;

  size_t vocabulary_size() const override { return size_; }
  std::optional<TokenId> IdOf(std::string_view token) const override;
  std::optional<std::string> TokenOf(TokenId id) const override;

  void ForgetTexts() const override {
    memories_.Clear();
    pieces_.Clear();
  }
  uint64_t Fingerprint() const override { return fingerprint_; }
  std::string Describe() const override;

 private:
  struct Call;  // one Encode on its way
  struct Region;
  struct Gap;
  // What a thread has of its own, and its way to what all remember.
  struct Memory : PieceMemory {
    using PieceMemory::PieceMemory;
    Neighbours neighbours;
    CharIds chars;
    LaneMerges merges;
    PartResults parts;  // of the new pieces of a batch
    PartResults alone;  // of one of the others
  };

  Status AppendIdsOf(std::string_view text, EncodeOptions options,
                     const Drawing* drawing,
                     std::vector<TokenId>& ids) const override;
  StatusOr<double> AlphaOf(const Sampling& sampling) const override {
    return DropoutRate(sampling, parts_.dropout);
  }

  Status EncodeText(Call& call) const;
  Status EncodeBetween(Call& call, size_t begin, size_t end) const;
  template <typename Between>
  Status EncodeAround(Call& call, const SpecialTokens& tokens,
                      const Region& region, Between&& between) const;
  bool NeedsNormalizer(const Call& call, std::string_view text) const;
  Status EncodeGap(Call& call, const Region& region, size_t begin,
                   size_t end) const;
  Status CheckBytes(const Gap& gap) const;
  Status EncodePieces(Call& call, const Gap& gap) const;
  Status EncodeAll(Call& call, const Gap& gap, PieceBatch& batch, size_t begin,
                   std::span<const size_t> ends) const;
  void EncodeOneByOne(Call& call, const Gap& gap, size_t begin,
                      std::span<const size_t> ends) const;
  Status EncodeSome(Call& call, PieceBatch& batch, size_t begin,
                    std::span<const size_t> ends) const;
  NewPieces::Way WayOf(std::string_view piece, size_t pieces) const;
  bool MergingIsRight(std::string_view piece) const;
  bool MayBeToken(std::string_view piece) const;
  void EncodePiece(Memory& memory, const Drawing* drawing,
                   std::string_view piece, std::vector<TokenId>& ids) const;
  void EncodeByMerges(Memory& memory, std::string_view piece,
                      std::vector<TokenId>& ids) const;
  const MergeTable& Merges() const;
  void AddOrigins(Call& call, const Gap& gap, size_t begin, size_t first) const;
  uint64_t ComputeFingerprint() const;

  void Prepare();
  bool CutsBehindLetters() const;
  // To be asked before and after the tables are looked at.
  Status CheckTables() const {
    if (tables_ == nullptr || tables_->intact()) return OkStatus();
    return TablesCut(parts_.name);
  }

  const std::shared_ptr<const FileBytes> tables_;  // may be null
  const BpeParts parts_;  // specials are in the vocabulary, for decoding
  const Bpe bpe_;
  const TurnMasks turn_masks_{parts_.pretokenizers};
  bool has_all_bytes_ = true;
  bool merges_in_lanes_ = false;
  bool leaves_text_out_ = false;      // some pretokenizer may
  bool cuts_behind_letters_ = false;  // SafeCut may
  SpecialTokens raw_tokens_;          // looked for in the user's text
  SpecialTokens normalized_tokens_;   // in what they leave, normalized
  std::map<std::string, TokenId, std::less<>> specials_by_text_;
  std::map<TokenId, SpecialToken> specials_by_id_;
  std::map<TokenId, std::string_view> plain_by_id_;  // into parts_
  size_t size_ = 0;
  uint64_t fingerprint_ = 0;

  mutable SharedPieces pieces_;           // for any number of threads
  mutable ThreadSlots<Memory> memories_;  // locks for itself
  // For sampling: made when first asked for, unless bpe_ has them.
  mutable std::once_flag made_merges_;
  mutable MergeTable merges_;
};

}  // namespace penstock
