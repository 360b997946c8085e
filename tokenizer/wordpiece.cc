#include "tokenizer/wordpiece.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tokenizer/fingerprint.h"
#include "tokenizer/utf8.h"

namespace penstock {

WordPiece::WordPiece(Vocabulary vocabulary, WordPieceOptions options)
    : vocabulary_(std::move(vocabulary)),
      options_(std::move(options)),
      trie_(vocabulary_),
      continuing_(trie_.Walk(TokenTrie::kRoot, options_.continuing_prefix)),
      unknown_(vocabulary_.Find(options_.unknown_token)) {}

absl::Status WordPiece::Encode(std::string_view piece,
                               std::vector<TokenId>& ids,
                               std::vector<TokenSpan>* spans) const {
  const bool too_long = piece.size() > options_.max_chars_per_word &&
                        piece.size() - std::count_if(piece.begin(), piece.end(),
                                                     IsUtf8Continuation) >
                            options_.max_chars_per_word;
  if (!too_long && EncodeKnown(piece, ids, spans)) return absl::OkStatus();
  if (!unknown_) {
    return absl::InvalidArgumentError(fmt::format(
        "a word is not in the vocabulary, and neither is the unknown token "
        "\"{}\"",
        options_.unknown_token));
  }
  ids.push_back(*unknown_);
  if (spans) spans->push_back({0, static_cast<uint32_t>(piece.size())});
  return absl::OkStatus();
}

bool WordPiece::EncodeKnown(std::string_view piece, std::vector<TokenId>& ids,
                            std::vector<TokenSpan>* spans) const {
  const size_t ids_before = ids.size();
  const size_t spans_before = spans ? spans->size() : 0;
  size_t begin = 0;
  uint32_t node = TokenTrie::kRoot;
  while (begin < piece.size()) {
    TokenId longest = TokenTrie::kNoToken;
    size_t end = begin;
    for (size_t i = begin; i < piece.size() && node != TokenTrie::kNowhere;) {
      node = trie_.Step(node, piece[i++]);
      if (node == TokenTrie::kNowhere) break;
      if (const TokenId token = trie_.TokenAt(node);
          token != TokenTrie::kNoToken) {
        longest = token;
        end = i;
      }
    }
    if (longest == TokenTrie::kNoToken) {
      ids.resize(ids_before);
      if (spans) spans->resize(spans_before);
      return false;
    }
    ids.push_back(longest);
    if (spans) {
      spans->push_back(
          {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    }
    begin = end;
    node = continuing_;
  }
  return true;
}

uint64_t WordPiece::Fingerprint() const {
  return Fingerprinter()
      .Add(options_.unknown_token)
      .Add(options_.continuing_prefix)
      .Add(uint64_t{options_.max_chars_per_word})
      .Finish();
}

}  // namespace penstock
