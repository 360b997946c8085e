// What bpe_tokenizer.h does but for encoding: construction, decoding, lookups.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/bpe/bpe_tokenizer.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/interface/whole_characters.h"
#include "tokenizer/unicode/byte_alphabet.h"
#include "tokenizer/unicode/unicode_data.h"

namespace penstock {
namespace {

// A special token decodes to its text, read in the vocabulary's spelling where
// it can be, as the reference does: "é" of a tokenizer.json is the byte 0xE9.
BpeParts WithSpecialsForDecoding(BpeParts parts) {
  for (const SpecialToken& token : parts.specials) {
    std::optional<std::string> bytes;
    if (parts.spelling == Spelling::kByteAlphabet) {
      bytes = BytesOfSpelling(token.text);
    }
    parts.vocabulary.AddForDecoding(token.id, bytes.value_or(token.text));
  }
  return parts;
}

std::string NameOf(const PreTokenizers& pretokenizers) {
  if (pretokenizers.empty()) return "none";
  std::string names;
  for (const auto& pretokenizer : pretokenizers) {
    if (!names.empty()) names += ", then ";
    names += pretokenizer->name();
  }
  return names;
}

}  // namespace

BpeTokenizer::BpeTokenizer(BpeParts parts, Bpe bpe, EncodingFrame frame)
    : FramedTokenizer(std::move(frame)),
      parts_(WithSpecialsForDecoding(std::move(parts))),
      bpe_(std::move(bpe)),
      size_(parts_.vocabulary.size()) {
  Prepare();
  fingerprint_ = ComputeFingerprint();
}

BpeTokenizer::BpeTokenizer(BpeParts parts, Bpe bpe, EncodingFrame frame,
                           uint64_t fingerprint,
                           std::shared_ptr<const FileBytes> tables)
    : FramedTokenizer(std::move(frame)),
      tables_(std::move(tables)),
      parts_(std::move(parts)),
      bpe_(std::move(bpe)),
      size_(parts_.vocabulary.size()),
      fingerprint_(fingerprint) {
  Prepare();
}

void BpeTokenizer::Prepare() {
  for (const bool normalized : {false, true}) {
    std::vector<SpecialToken> tokens;
    for (const SpecialToken& token : parts_.specials) {
      if (token.in_text && token.normalized == normalized) {
        tokens.push_back(token);
      }
    }
    (normalized ? normalized_tokens_ : raw_tokens_) =
        SpecialTokens(std::move(tokens));
  }
  cuts_behind_letters_ = CutsBehindLetters();
  for (const auto& [spelling, id] : parts_.plain_ids) {
    plain_by_id_.emplace(id, spelling);
  }
  for (const SpecialToken& token : parts_.specials) {
    specials_by_text_.emplace(token.text, token.id);
    specials_by_id_.emplace(token.id, token);
  }
  for (int byte = 0; byte < 256; ++byte) {
    has_all_bytes_ &= bpe_.HasByte(static_cast<unsigned char>(byte));
  }
  for (const auto& pretokenizer : parts_.pretokenizers) {
    leaves_text_out_ |= pretokenizer->LeavesTextOut();
  }
  merges_in_lanes_ = bpe_.CanSave() && LaneMerges::IsThere();
}

Status BpeTokenizer::Decode(std::span<const TokenId> ids, DecodeOptions options,
                            std::string& text) const {
  PENSTOCK_RETURN_IF_ERROR(CheckTables());
  const size_t begin = text.size();
  for (const TokenId id : ids) {
    if (options.skip_special_tokens) {
      const auto special = specials_by_id_.find(id);
      if (special != specials_by_id_.end() && special->second.special) continue;
    }
    if (!parts_.vocabulary.Has(id)) {
      text.resize(begin);
      return UnknownIdError(id, parts_.name, size_);
    }
    text.append(parts_.vocabulary.BytesOf(id));
  }
  Status status = CheckTables();
  if (!status.ok()) text.resize(begin);
  return status;
}

std::unique_ptr<StreamDecoder> BpeTokenizer::NewStreamDecoder(
    DecodeOptions options) const {
  return std::make_unique<IdByIdDecoder>(*this, options);
}

std::optional<TokenId> BpeTokenizer::IdOf(std::string_view token) const {
  if (const auto special = specials_by_text_.find(token);
      special != specials_by_text_.end()) {
    return special->second;
  }
  if (const auto plain = parts_.plain_ids.find(token);
      plain != parts_.plain_ids.end()) {
    return plain->second;
  }
  if (parts_.spelling == Spelling::kBytes) return parts_.vocabulary.Find(token);
  const std::optional<std::string> bytes = BytesOfSpelling(token);
  if (!bytes) return std::nullopt;
  return parts_.vocabulary.Find(*bytes);
}

std::optional<std::string> BpeTokenizer::TokenOf(TokenId id) const {
  if (const auto special = specials_by_id_.find(id);
      special != specials_by_id_.end()) {
    return special->second.text;
  }
  if (const auto plain = plain_by_id_.find(id); plain != plain_by_id_.end()) {
    return std::string(plain->second);
  }
  if (!parts_.vocabulary.Has(id)) return std::nullopt;
  const std::string_view bytes = parts_.vocabulary.BytesOf(id);
  if (parts_.spelling == Spelling::kBytes) return std::string(bytes);
  return SpellBytes(bytes);
}

uint64_t BpeTokenizer::ComputeFingerprint() const {
  Fingerprinter print;
  print.Add("byte-level BPE").Add(kUnicodeVersion);
  print.Add(parts_.normalizer_print);
  print.Add(NameOf(parts_.pretokenizers));
  print.Add(uint64_t{parts_.whole_pieces_first});
  print.Add(uint64_t{parts_.add_prefix_space});
  print.Add(parts_.merges_fingerprint);
  for (TokenId id = 0; id < parts_.vocabulary.size(); ++id) {
    if (!parts_.vocabulary.Has(id)) continue;
    print.Add(uint64_t{id}).Add(parts_.vocabulary.BytesOf(id));
    print.Add(uint64_t{plain_by_id_.contains(id)});
  }
  for (const auto& [id, token] : specials_by_id_) {
    print.Add(uint64_t{id}).Add(token.text);
    print.Add(uint64_t{token.strip_right} * 32 +
              uint64_t{token.strip_left} * 16 +
              uint64_t{token.single_word} * 8 + uint64_t{token.in_text} * 4 +
              uint64_t{token.special} * 2 + token.normalized);
  }
  AddToFingerprint(frame(), print);
  return print.Finish();
}

std::string BpeTokenizer::Describe() const {
  return fmt::format(
      "byte-level BPE, {} ids, {} pattern, {}", size_,
      parts_.pretokenizers.empty() ? "no" : NameOf(parts_.pretokenizers),
      parts_.name);
}

}  // namespace penstock
