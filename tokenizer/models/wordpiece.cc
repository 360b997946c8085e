#include "tokenizer/models/wordpiece.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/unicode/valid_utf8.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {

StatusOr<std::unique_ptr<const WordPiece>> WordPiece::Make(
    Vocabulary vocabulary, WordPieceOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, TrieOf(vocabulary));
  return std::unique_ptr<const WordPiece>(new WordPiece(
      std::move(vocabulary), std::move(options), std::move(trie)));
}

std::unique_ptr<const WordPiece> WordPiece::Load(TableReader& from,
                                                 WordPieceOptions options) {
  Vocabulary vocabulary = Vocabulary::Load(from);
  PieceTrie trie = PieceTrie::Load(from);
  return std::unique_ptr<const WordPiece>(new WordPiece(
      std::move(vocabulary), std::move(options), std::move(trie)));
}

WordPiece::WordPiece(Vocabulary vocabulary, WordPieceOptions options,
                     PieceTrie trie)
    : vocabulary_(std::move(vocabulary)),
      options_(std::move(options)),
      trie_(std::move(trie)),
      continuing_(PieceTrie::Root()),
      unknown_(vocabulary_.Find(options_.unknown_token)) {
  int32_t id;
  for (const char byte : options_.continuing_prefix) {
    if (trie_.Step(continuing_, static_cast<unsigned char>(byte), id)) continue;
    continuing_ = PieceTrie::DeadEnd();
    break;
  }
}

Status WordPiece::Encode(std::string_view piece, std::vector<TokenId>& ids,
                         std::vector<TokenSpan>* spans) const {
  const bool too_long = piece.size() > options_.max_chars_per_word &&
                        piece.size() - std::count_if(piece.begin(), piece.end(),
                                                     IsUtf8Continuation) >
                            options_.max_chars_per_word;
  if (!too_long && EncodeKnown(piece, ids, spans)) return OkStatus();
  if (!unknown_) {
    return InvalidArgumentError(fmt::format(
        "a word is not in the vocabulary, and neither is the unknown token "
        "\"{}\"",
        options_.unknown_token));
  }
  ids.push_back(*unknown_);
  if (spans) spans->push_back({0, static_cast<uint32_t>(piece.size())});
  return OkStatus();
}

bool WordPiece::EncodeKnown(std::string_view piece, std::vector<TokenId>& ids,
                            std::vector<TokenSpan>* spans) const {
  const size_t ids_before = ids.size();
  const size_t spans_before = spans ? spans->size() : 0;
  size_t begin = 0;
  PieceTrie::Node node = PieceTrie::Root();
  while (begin < piece.size()) {
    int32_t longest = PieceTrie::kNoPiece;
    size_t end = begin;
    int32_t id;
    for (size_t i = begin;
         i < piece.size() &&
         trie_.Step(node, static_cast<unsigned char>(piece[i]), id);) {
      ++i;
      if (id == PieceTrie::kNoPiece) continue;
      longest = id;
      end = i;
    }
    if (longest == PieceTrie::kNoPiece) {
      ids.resize(ids_before);
      if (spans) spans->resize(spans_before);
      return false;
    }
    ids.push_back(static_cast<TokenId>(longest));
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

void WordPiece::Save(TableWriter& to) const {
  vocabulary_.Save(to);
  trie_.Save(to);
}

}  // namespace penstock
