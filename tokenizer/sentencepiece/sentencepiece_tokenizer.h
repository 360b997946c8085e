// SentencePiece .model files: unigram, BPE, word and character models.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"
#include "tokenizer/bpe/piece_sink.h"
#include "tokenizer/interface/text_buffer.h"
#include "tokenizer/interface/thread_slots.h"
#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/sentencepiece/segmenter.h"
#include "tokenizer/sentencepiece/sentencepiece_model.h"
#include "tokenizer/sentencepiece/sentencepiece_normalizer.h"
#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/sentencepiece/user_defined_symbols.h"
#include "tokenizer/vocabulary/special_tokens.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Gives the ids, and the text, that sentencepiece gives.
//
// No id is put around a text, as is sentencepiece's default, and the text of a
// control piece ("<s>") is text like any other: SpecialText::kAllow is kAsText.
// Bytes that are not UTF-8 are taken as U+FFFD each.
//
// Errors of Encode, beside refused special text: kInvalidArgument for a text
// of 4 GiB or more after normalization.
class SentencePieceTokenizer final : public Tokenizer {
 public:
  // `bytes` are a .model file's, `name` is the file's, for messages.
  // Errors:  those of ParseSentencePieceModel and Charsmap::Parse, with `name`;
  //          kDataLoss for two pieces of one name; kResourceExhausted for too
  //          large a vocabulary.
  static StatusOr<std::shared_ptr<const Tokenizer>> Parse(
      std::string_view bytes, const std::string& name,
      UnigramRules rules = UnigramRules::kSince022);

  // What Load makes it of again.
  void Save(TableWriter& to) const;
  // Looks where `from` does, which `tables` keep. Null where that holds none.
  static std::shared_ptr<const Tokenizer> Load(
      TableReader& from, const std::string& name,
      std::shared_ptr<const FileBytes> tables);

  Status Encode(std::string_view text, EncodeOptions options,
                std::vector<TokenId>& ids) const override;
  // Origins are those of sentencepiece's ImmutableSentencePieceText; no token
  // is of a word.
  Status EncodeBare(std::string_view text, EncodeOptions options,
                    std::vector<TokenId>& ids,
                    std::vector<TokenOrigin>& origins,
                    std::vector<std::string>& surfaces) const override;
  Status EncodeSampled(std::string_view text, EncodeOptions options,
                       const Sampling& sampling,
                       std::vector<TokenId>& ids) const override;
  Status EncodeBest(std::string_view text, EncodeOptions options, size_t count,
                    std::vector<ScoredIds>& best) const override;
  // Control pieces are no text; skip_special_tokens changes nothing.
  Status Decode(std::span<const TokenId> ids, DecodeOptions options,
                std::string& text) const override;
  // With a denormalizer, which few models have, all is held back to the end.
  std::unique_ptr<StreamDecoder> NewStreamDecoder(
      DecodeOptions options) const override;

  size_t vocabulary_size() const override { return tokens_.size(); }
  // Of two pieces with one name, the control, unknown or byte piece.
  std::optional<TokenId> IdOf(std::string_view token) const override;
  std::optional<std::string> TokenOf(TokenId id) const override;

  void ForgetTexts() const override {
    workspaces_.Clear();
    segmenter_->ForgetTexts();
  }
  uint64_t Fingerprint() const override { return fingerprint_; }
  std::string Describe() const override { return kind_ + ", " + name_; }

 private:
  // How an id is written out.
  struct Writing {
    enum class Kind : uint8_t { kText, kNothing, kByte, kUnknown };
    Kind kind = Kind::kText;
    uint8_t byte = 0;
    uint8_t spaces = 0;     // kSpaceSymbols that a text begins with, up to 255
    bool has_more = false;  // of them, further on
  };
  struct Workspace {
    TextBuffer normalized;
    std::unique_ptr<Segmenter::Scratch> scratch;
  };

  class Stream;  // a decoder

  SentencePieceTokenizer() = default;

  // To be asked before and after the tables are looked at.
  Status CheckTables() const {
    if (tables_ == nullptr || tables_->intact()) return OkStatus();
    return TablesCut(name_);
  }
  Status CheckText(std::string_view text, EncodeOptions options) const;
  // Lends one that fits the segmenter.
  std::unique_ptr<Workspace> TakeWorkspace() const;

  Status Build(const SentencePieceModel& model, UnigramRules rules);
  Status BuildSegmenter(const SentencePieceModel& model, UnigramRules rules);
  Status BuildVocabulary(const SentencePieceModel& model);
  void BuildWritings(const SentencePieceModel& model);
  Status CheckRefused(std::string_view text) const;
  // A workspace with the text normalized.
  StatusOr<std::unique_ptr<Workspace>> Normalized(std::string_view text,
                                                  EncodeOptions options) const;
  void GiveBack(std::unique_ptr<Workspace> work, size_t text_bytes) const;

  // Everything is constant after Parse or Load, but for the workspaces and what
  // the segmenter remembers.
  UserDefinedSymbols symbols_;
  std::unique_ptr<const SentencePieceNormalizer> normalizer_;
  std::unique_ptr<const SentencePieceNormalizer> denormalizer_;  // may be null
  std::unique_ptr<const Segmenter> segmenter_;
  UnknownRule unknown_rule_;
  SpecialTokens controls_;

  Vocabulary tokens_;
  Table<Writing> writings_;  // by id
  std::string unknown_surface_;
  bool drops_first_space_ = false;  // when decoding
  bool drops_all_first_spaces_ = false;

  uint64_t fingerprint_ = 0;
  std::string kind_;  // for people
  std::string name_;

  std::shared_ptr<const FileBytes> tables_;    // may be null
  mutable ThreadSlots<Workspace> workspaces_;  // locks for itself
};

}  // namespace penstock
