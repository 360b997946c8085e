#include "tokenizer/sentencepiece/plain_segmenters.h"

#include <algorithm>
#include <utility>

#include "tokenizer/sentencepiece/sentencepiece_model.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

void PutPiece(const PieceTrie& trie, std::string_view text, PieceSink& sink) {
  const int32_t id = trie.Find(text);
  if (id == PieceTrie::kNoPiece) {
    sink.PutUnknown(text);
  } else {
    sink.Put(static_cast<TokenId>(id));
  }
}

size_t CharSize(std::string_view text, size_t at) {
  return std::min(Utf8SizeByLead(static_cast<unsigned char>(text[at])),
                  text.size() - at);
}

}  // namespace

WordSegmenter::WordSegmenter(PieceTrie trie) : trie_(std::move(trie)) {}

WordSegmenter::WordSegmenter(TableReader& from)
    : WordSegmenter(PieceTrie::Load(from)) {}

void WordSegmenter::Save(TableWriter& to) const {
  to.PutNumber(static_cast<uint64_t>(Kind::kWord));
  trie_.Save(to);
}

void WordSegmenter::Segment(std::string_view text, Scratch&,
                            PieceSink& sink) const {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t size = CharSize(text, at);
    if (at != begin && text.substr(at, size) == kSpaceSymbol) {
      PutPiece(trie_, text.substr(begin, at - begin), sink);
      begin = at;
    }
    at += size;
  }
  if (begin != text.size()) PutPiece(trie_, text.substr(begin), sink);
}

CharSegmenter::CharSegmenter(PieceTrie trie, const UserDefinedSymbols& symbols)
    : trie_(std::move(trie)), symbols_(symbols) {}

CharSegmenter::CharSegmenter(TableReader& from,
                             const UserDefinedSymbols& symbols)
    : CharSegmenter(PieceTrie::Load(from), symbols) {}

void CharSegmenter::Save(TableWriter& to) const {
  to.PutNumber(static_cast<uint64_t>(Kind::kChar));
  trie_.Save(to);
}

void CharSegmenter::Segment(std::string_view text, Scratch&,
                            PieceSink& sink) const {
  const char* const end = text.data() + text.size();
  for (size_t at = 0; at < text.size();) {
    size_t size = symbols_.Longest(text.data() + at, end);
    if (size == 0) size = CharSize(text, at);
    PutPiece(trie_, text.substr(at, size), sink);
    at += size;
  }
}

}  // namespace penstock
