// Decode, lookups, Fingerprint and Describe of bpe_tokenizer.h.
#include <fmt/format.h>

#include "tokenizer/bpe_tokenizer.h"
#include "tokenizer/byte_alphabet.h"
#include "tokenizer/fingerprint.h"
#include "tokenizer/unicode_data.h"

namespace penstock {

absl::Status BpeTokenizer::Decode(std::span<const TokenId> ids,
                                  DecodeOptions options,
                                  std::string& text) const {
  const size_t begin = text.size();
  for (const TokenId id : ids) {
    if (options.skip_special_tokens) {
      const auto special = specials_by_id_.find(id);
      if (special != specials_by_id_.end() && special->second.special) continue;
    }
    if (!parts_.vocabulary.Has(id)) {
      text.resize(begin);
      return absl::InvalidArgumentError(
          fmt::format("id {} is not in the vocabulary of {}, which has {} ids",
                      id, parts_.name, size_));
    }
    text.append(parts_.vocabulary.BytesOf(id));
  }
  return absl::OkStatus();
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
  print.Add(parts_.pretokenizer ? parts_.pretokenizer->name() : "none");
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
    print.Add(uint64_t{token.special} * 2 + token.normalized);
  }
  AddToFingerprint(parts_.frame, print);
  return print.Finish();
}

std::string BpeTokenizer::Describe() const {
  return fmt::format("byte-level BPE, {} ids, {} pattern, {}", size_,
                     parts_.pretokenizer ? parts_.pretokenizer->name() : "no",
                     parts_.name);
}

}  // namespace penstock
