// Text -> ids -> text: the interface behind which every tokenizer stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/interface/call_options.h"

namespace penstock {

using TokenId = uint32_t;

struct EncodingFrame;

// Where a token came from: the bytes, and the same in characters. Both are 0
// for a token that the text does not hold: [CLS], padding.
struct TokenOrigin {
  static constexpr uint32_t kNoWord = 0xffffffff;
  static constexpr uint32_t kAsSpelled = 0xffffffff;

  uint32_t begin_byte = 0, end_byte = 0;
  uint32_t begin_char = 0, end_char = 0;
  // Which of the pieces that the text was cut into before the model.
  uint32_t word = kNoWord;
  // Put around the text, not found in it.
  bool special = false;
  // Which of Encoding::surfaces is the token's text; kAsSpelled: it is what
  // the vocabulary spells.
  uint32_t surface = kAsSpelled;

  friend bool operator==(const TokenOrigin&, const TokenOrigin&) = default;
};

// Ids of many texts, one after the other: text t has ids
// [row_offsets[t], row_offsets[t + 1]).
struct Encodings {
  std::vector<TokenId> ids;
  std::vector<uint64_t> row_offsets = {0};

  size_t rows() const { return row_offsets.size() - 1; }
  std::span<const TokenId> ids_of(size_t row) const {
    return {ids.data() + row_offsets[row],
            row_offsets[row + 1] - row_offsets[row]};
  }
  // Forgets the rows, keeps the memory.
  void Clear();
};

struct DecodeOptions {
  // Leaves special tokens out of the text.
  bool skip_special_tokens = false;
};

class StreamDecoder;  // stream_decoder.h
struct Sampling;      // sampling.h
struct ScoredIds;

// Immutable after loading.
//
// Threads: any number at a time.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Appends the ids of `text` to `ids`.
  // Errors:  kInvalidArgument for refused special text.
  virtual Status Encode(std::string_view text, EncodeOptions options,
                        std::vector<TokenId>& ids) const = 0;

  // Encode, with one origin for each id appended to `origins`. Slower.
  // See encoding.h for pairs of texts, masks, the texts of tokens, and what
  // truncation cuts off.
  // Errors:  those of Encode; kInvalidArgument for text that is not UTF-8 or
  //          has 4 GiB or more.
  Status EncodeWithOrigins(std::string_view text, EncodeOptions options,
                           std::vector<TokenId>& ids,
                           std::vector<TokenOrigin>& origins) const;

  // Encode, drawing one of the ways to segment the text: see sampling.h.
  // Errors:  those of Encode; kInvalidArgument for a bad alpha or best;
  //          kUnimplemented for a model that has but one way.
  virtual Status EncodeSampled(std::string_view text, EncodeOptions options,
                               const Sampling& sampling,
                               std::vector<TokenId>& ids) const;

  // Replaces `best` by the `count` (1 to 512) best ways, the best first; fewer
  // where there are no more. Nothing is put around the text.
  // Errors:  those of Encode; kUnimplemented but for SentencePiece unigram.
  virtual Status EncodeBest(std::string_view text, EncodeOptions options,
                            size_t count, std::vector<ScoredIds>& best) const;

  // Appends one row per text, the same with any number of threads.
  // Errors:  those of Encode, naming the text's number; `out` then holds the
  //          rows before it. kInvalidArgument for no thread.
  Status EncodeBatch(std::span<const std::string_view> texts,
                     EncodeOptions options, Encodings& out,
                     EncodeBatchOptions batch = {}) const;

  // Appends the bytes that `ids` stand for to `text`.
  // Errors:  kInvalidArgument naming an id that the vocabulary lacks.
  virtual Status Decode(std::span<const TokenId> ids, DecodeOptions options,
                        std::string& text) const = 0;

  // Decodes ids while they come. The tokenizer must outlive it.
  virtual std::unique_ptr<StreamDecoder> NewStreamDecoder(
      DecodeOptions options) const = 0;

  // One more than the largest id.
  virtual size_t vocabulary_size() const = 0;
  // The id of a token as the vocabulary file spells it; nullopt without one.
  virtual std::optional<TokenId> IdOf(std::string_view token) const = 0;
  // The token as the vocabulary file spells it; nullopt for an unused id.
  virtual std::optional<std::string> TokenOf(TokenId id) const = 0;

  // Gives back what is remembered of the texts that were seen, but for what
  // threads that are in a call have of their own (docs/tokenizers.md has the
  // bounds); ids stay the same. Waits for the pieces that others look up.
  virtual void ForgetTexts() const {}

  // A hash of everything that decides ids: two tokenizers that can give
  // different ids differ here.
  virtual uint64_t Fingerprint() const = 0;
  // One line for people: "byte-level BPE, 100277 ids, cl100k_base.tiktoken".
  virtual std::string Describe() const = 0;

  // EncodeWithOrigins of the text alone: not cut, framed or padded, and
  // offsets as the model gives them. Appends to `surfaces` what origins refer
  // to. What encoding.h starts from.
  virtual Status EncodeBare(std::string_view text, EncodeOptions options,
                            std::vector<TokenId>& ids,
                            std::vector<TokenOrigin>& origins,
                            std::vector<std::string>& surfaces) const = 0;
  // How texts are cut, framed and padded; by default not at all.
  virtual const EncodingFrame& frame() const;
  // The largest place, not the end, where `text` can be cut, whatever text
  // may follow it, so that the ids of the parts, bare, are those of the whole,
  // the second being encoded without EncodeOptions::begins_text; 0 if none is
  // found. What stream_encoder.h is made of.
  virtual size_t SafeCut(std::string_view /*text*/) const { return 0; }
};

}  // namespace penstock
