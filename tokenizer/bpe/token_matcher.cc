#include "tokenizer/bpe/token_matcher.h"

#include <utility>

namespace penstock {
namespace {

// Places from which no way leads to the end, bit for bit.
class FewPlaces {
 public:
  static constexpr size_t kMost = 64;
  bool Has(size_t place) const { return bits_ >> (place % 64) & 1; }
  void Add(size_t place) { bits_ |= uint64_t{1} << place; }

 private:
  uint64_t bits_ = 0;
};

class ManyPlaces {
 public:
  explicit ManyPlaces(size_t count) : bits_(count / 64 + 1) {}
  bool Has(size_t place) const { return bits_[place / 64] >> (place % 64) & 1; }
  void Add(size_t place) { bits_[place / 64] |= uint64_t{1} << (place % 64); }

 private:
  std::vector<uint64_t> bits_;
};

}  // namespace

TokenMatcher::TokenMatcher(const Vocabulary& vocabulary,
                           Derivations derivations, TokenTrie tokens)
    : derivations_(std::move(derivations)),
      trie_(std::move(tokens.trie)),
      tokens_(vocabulary.size()),
      cuts_(vocabulary),
      bytes_(derivations_.ranks(), ByteIds()) {
  std::vector<TokenId> of_chars;
  std::vector<std::string_view> unmade;
  for (TokenId id = 0; id < tokens_.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    if (derivations_.Has(id)) {
      TokenId shorter = tokens.shorter[id];
      while (shorter != kNoToken && !derivations_.Has(shorter)) {
        shorter = tokens.shorter[shorter];
      }
      tokens_.At(id) = {shorter, static_cast<uint32_t>(bytes.size())};
      if (CharTrie::MayHave(bytes)) of_chars.push_back(id);
    } else if (vocabulary.Find(bytes) == id) {
      // No text leads to it.
      unmade.push_back(bytes);
      trie_.Remove(bytes);
    }
  }
  chars_ = CharTrie(vocabulary, of_chars);
  unmade_ = UnmadeTokens(unmade);
}

void TokenMatcher::Save(TableWriter& to) const {
  derivations_.Save(to);
  trie_.Save(to);
  to.PutTable(tokens_);
  cuts_.Save(to);
  chars_.Save(to);
  unmade_.Save(to);
}

TokenMatcher TokenMatcher::Load(TableReader& from) {
  Derivations derivations = Derivations::Load(from);
  PieceTrie trie = PieceTrie::Load(from);
  auto tokens = from.TakeTable<Token>();
  CharCuts cuts = CharCuts::Load(from);
  CharTrie chars = CharTrie::Load(from);
  TokenMatcher matcher(std::move(derivations), std::move(trie),
                       std::move(tokens), std::move(cuts), std::move(chars));
  matcher.unmade_ = UnmadeTokens::Load(from);
  return matcher;
}

BytePairs::Ids TokenMatcher::ByteIds() const {
  BytePairs::Ids ids;
  for (size_t byte = 0; byte < ids.size(); ++byte) {
    const char spelled = static_cast<char>(byte);
    ids[byte] = LongestAt(&spelled, &spelled + 1);
  }
  return ids;
}

TokenId TokenMatcher::LongestAt(const char* at, const char* end) const {
  PieceTrie::Node node = PieceTrie::Root();
  TokenId longest = kNoToken;
  int32_t id;
  while (at < end && trie_.Step(node, static_cast<unsigned char>(*at), id)) {
    ++at;
    if (id != PieceTrie::kNoPiece) longest = static_cast<TokenId>(id);
  }
  return longest;
}

void TokenMatcher::Encode(std::string_view piece, Neighbours& neighbours,
                          std::vector<TokenId>& ids) const {
  if (piece.size() < FewPlaces::kMost) {
    FewPlaces closed;
    Walk(piece, neighbours, closed, ids);
  } else {
    ManyPlaces closed(piece.size());
    Walk(piece, neighbours, closed, ids);
  }
}

template <typename Places>
void TokenMatcher::Walk(std::string_view piece, Neighbours& neighbours,
                        Places& closed, std::vector<TokenId>& ids) const {
  const char* const end = piece.data() + piece.size();
  const size_t first = ids.size();
  size_t at = 0;
  TokenId next = LongestAt(piece.data(), end);
  // More ids than bytes there are only where a mapped table was cut off under
  // us, and so is a first token that is none.
  while (ids.size() - first <= piece.size()) {
    const TokenId before = ids.size() > first ? ids.back() : kNoToken;
    while (next != kNoToken &&
           (closed.Has(at + tokens_[next].size_bytes) ||
            (before != kNoToken &&
             !neighbours.StayApart(derivations_, before, next)))) {
      next = tokens_[next].shorter;
    }
    if (next != kNoToken) {
      ids.push_back(next);
      at += tokens_[next].size_bytes;
      if (at == piece.size()) return;
      next = LongestAt(piece.data() + at, end);
    } else {
      // There is one before: the encoding that exists begins with some token.
      if (before == kNoToken) return;
      closed.Add(at);
      ids.pop_back();
      at -= tokens_[before].size_bytes;
      next = before;
    }
  }
}

}  // namespace penstock
