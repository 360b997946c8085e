// A tokenizer put together from the components of a tokenizer.json.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "tokenizer/bpe/framed_tokenizer.h"
#include "tokenizer/bpe/piece_batch.h"
#include "tokenizer/components/added_tokens.h"
#include "tokenizer/decoders/token_decoder.h"
#include "tokenizer/interface/normalizer.h"
#include "tokenizer/interface/thread_slots.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/models/token_model.h"
#include "tokenizer/splitters/raw_cutter.h"
#include "tokenizer/splitters/splitter.h"
#include "tokenizer/unicode/replace_byte.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

struct TokenizerComponents {
  std::string name;                              // of the file, for people
  std::unique_ptr<const Normalizer> normalizer;  // null: none
  std::unique_ptr<const Splitter> splitter;      // null: none
  std::unique_ptr<const TokenModel> model;
  AddedTokens added_tokens;
  std::unique_ptr<const TokenDecoder> decoder;  // null: spaces between tokens

  // What the tokenizer is made of again: of the components as the file has
  // them, and the file with the model's tables left empty.
  uint64_t fingerprint = 0;
  std::string outline = {};
  // Instead of these two of one that was made again: of the whole, and the file
  // in which the model looks.
  std::optional<uint64_t> known_fingerprint = {};
  std::shared_ptr<const FileBytes> tables = nullptr;
};

// Ids are those of Hugging Face tokenizers' `encode` of one text, with the
// file's truncation and padding.
//
// Text that is not valid UTF-8, which the reference does not take, has each
// error replaced by U+FFFD first, as Python's errors="replace" does.
//
// Errors of Encode, beside refused special text: kInvalidArgument for text
// that has no token where there is no unknown token either, that cannot be
// cut as the file asks, or that has or becomes 4 GiB or more. Of all, of one
// made of mapped tables: kDataLoss where their file was cut off under it.
class ComponentTokenizer final : public FramedTokenizer {
 public:
  ComponentTokenizer(TokenizerComponents components, EncodingFrame frame);

  const TokenizerComponents& parts() const { return parts_; }

  Status EncodeBare(std::string_view text, EncodeOptions options,
                    std::vector<TokenId>& ids,
                    std::vector<TokenOrigin>& origins,
                    std::vector<std::string>& surfaces) const override;
  // Before a space, where no component looks over one.
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
    shared_pieces_.Clear();
    parts_.model->ForgetTexts();
  }
  uint64_t Fingerprint() const override;
  std::string Describe() const override;

 private:
  struct Call;   // one Encode on its way
  class Stream;  // a decoder

  Status AppendIdsOf(std::string_view text, EncodeOptions options,
                     const Drawing* drawing,
                     std::vector<TokenId>& ids) const override;
  StatusOr<double> AlphaOf(const Sampling& sampling) const override {
    return parts_.model->AlphaOf(sampling);
  }
  Status EncodeText(Call& call, std::string_view text) const;
  Status EncodeJoined(Call& call, std::string_view text,
                      std::span<const AddedTokens::Part> parts) const;
  Status EncodeGap(Call& call, std::string_view gap, uint32_t begin) const;
  Status EncodeParts(Call& call, std::string_view gap, uint32_t begin) const;
  Status EncodeChunks(Call& call, std::string_view gap, uint32_t begin) const;
  Status EncodeWhole(Call& call, std::string_view text, uint32_t begin) const;
  Status EncodePieces(Call& call, Pieces& pieces) const;
  Status EncodeBatches(Call& call, const Pieces& pieces) const;
  Status EncodePiece(Call& call, std::string_view piece) const;
  void AddFound(Call& call, const AddedToken& token, std::string_view text,
                ByteSpan origin) const;
  uint32_t SurfaceOf(Call& call, TokenId id, std::string_view text) const;
  // To be asked before and after the model's tables are looked at.
  Status CheckTables() const {
    if (parts_.tables == nullptr || parts_.tables->intact()) return OkStatus();
    return TablesCut(parts_.name);
  }

  const TokenizerComponents parts_;
  const bool tokens_stop_at_spaces_;
  const bool cuts_at_all_spaces_;
  // Where the file's components allow it: then ids are remembered of parts as
  // the text has them, else of pieces as the model is given them.
  const std::unique_ptr<const RawCutter> cutter_;
  // Where there is none and text is one piece: for SafeCut and long texts.
  // Parts of the model's own come again more often than words as the text has
  // them.
  const std::unique_ptr<const RawCutter> inner_cutter_;
  // Where all that comes before the model is to put something for one byte.
  const std::optional<ByteReplacement> replacement_;
  size_t size_ = 0;
  // Tokens of the model that added tokens spell otherwise.
  std::set<TokenId> respelled_;

  mutable SharedPieces shared_pieces_;         // for any number of threads
  mutable ThreadSlots<PieceMemory> memories_;  // locks for itself
};

}  // namespace penstock
