#include "tokenizer/vocabulary/char_trie.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "formats/memory/huge_pages.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

// Longer tokens are left out: who looks for them finds shorter ones.
constexpr size_t kMostChars = 64;

// A token's characters.
class Spelled {
 public:
  // Of none, where the token is not of the form that a CharTrie has.
  explicit Spelled(std::string_view token) {
    const size_t narrow = token.size() % CharCuts::kCharBytes;
    if (token.size() > CharCuts::kCharBytes * kMostChars) return;
    if (narrow > 0) {
      const auto c = CharTrie::NarrowChar(token.substr(0, narrow));
      if (!c) return;
      chars_[count_++] = *c;
    }
    for (size_t at = narrow; at < token.size(); at += CharCuts::kCharBytes) {
      const auto c = CharCuts::WideChar(token.substr(at));
      if (!c || *c < CharTrie::kEndOfNarrow) {
        count_ = 0;
        return;
      }
      chars_[count_++] = *c;
    }
  }

  std::span<const CharTrie::Char> chars() const {
    return std::span(chars_).first(count_);
  }

 private:
  size_t count_ = 0;
  std::array<CharTrie::Char, kMostChars + 1> chars_;
};

}  // namespace

std::optional<CharTrie::Char> CharTrie::NarrowChar(std::string_view text) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  if (text.size() == 1 && byte(0) < 0x80) return byte(0);
  if (text.size() != 2 || byte(0) < 0xc2 || byte(0) > 0xdf ||
      !IsUtf8Continuation(text[1])) {
    return std::nullopt;
  }
  return static_cast<Char>((byte(0) & 0x1f) << 6 | (byte(1) & 0x3f));
}

class CharTrie::Builder {
 public:
  Builder() : nodes_(CharCuts::kChars) {}

  void Add(std::span<const Char> chars, TokenId id) {
    uint32_t at = chars[0];
    for (const Char c : chars.subspan(1)) at = ChildOf(at, c);
    nodes_[at].id = id;
  }

  // False where it is too large.
  bool Build(CharTrie& trie) {
    MakeRoom();
    if (places_ > kMaxPlace + 1) return false;
    HugePageVector<uint64_t> roots(CharCuts::kChars);
    HugePageVector<uint64_t> children(places_);
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      if (n < CharCuts::kChars) {
        if (node.is_there()) roots[n] = BitsOf(node, 0);
        continue;
      }
      const Node& parent = nodes_[node.parent];
      const uint32_t mask = (1u << parent.room) - 1;
      uint32_t place = HashOf(node.c);
      while (children[parent.place + (place & mask)] != 0) ++place;
      children[parent.place + (place & mask)] = BitsOf(node, node.c);
    }
    trie.roots_ = Table<uint64_t>(std::move(roots));
    trie.children_ = Table<uint64_t>(std::move(children));
    return true;
  }

 private:
  struct Node {
    TokenId id = kNoToken;
    uint32_t children = 0;
    uint32_t parent = 0;
    uint32_t place = 0;  // of its children
    uint32_t room = 0;   // of which there are 1 << room
    Char c = 0;

    bool is_there() const { return id != kNoToken || children > 0; }
  };

  uint32_t ChildOf(uint32_t parent, Char c) {
    const auto [child, is_new] = children_.try_emplace(
        uint64_t{parent} << 16 | c, static_cast<uint32_t>(nodes_.size()));
    if (is_new) {
      ++nodes_[parent].children;
      nodes_.push_back({.parent = parent, .c = c});
    }
    return child->second;
  }

  // At least a quarter stays free. What fits in a line is in one.
  void MakeRoom() {
    constexpr uint64_t kLine = 64 / sizeof(uint64_t);
    for (Node& node : nodes_) {
      if (node.children == 0) continue;
      node.room = 1;
      while ((uint64_t{3} << node.room) < 4 * uint64_t{node.children}) {
        ++node.room;
      }
      const uint64_t size = uint64_t{1} << node.room;
      places_ = (places_ + std::min(size, kLine) - 1) / std::min(size, kLine) *
                std::min(size, kLine);
      node.place = static_cast<uint32_t>(places_);
      places_ += size;
    }
  }

  static uint64_t BitsOf(const Node& node, Char c) {
    const auto id_and_one = static_cast<TokenId>(node.id + 1);
    return uint64_t{c} << kCharAt | uint64_t{id_and_one} << kIdAt |
           uint64_t{node.place} << kPlaceAt | node.room;
  }

  std::vector<Node> nodes_;  // first the roots
  absl::flat_hash_map<uint64_t, uint32_t> children_;
  uint64_t places_ = 1;
};

CharTrie::CharTrie(const Vocabulary& vocabulary,
                   std::span<const TokenId> tokens) {
  constexpr size_t kFewest = 32;
  const auto are_few = [&](size_t with_several) {
    return with_several * kFewest < vocabulary.tokens();
  };
  const auto may_have_several = [&](TokenId id) {
    return CharCuts::MayCut(vocabulary.BytesOf(id));
  };
  if (are_few(std::ranges::count_if(tokens, may_have_several))) return;
  Builder builder;
  size_t with_several = 0;
  for (const TokenId id : tokens) {
    const Spelled spelled(vocabulary.BytesOf(id));
    if (spelled.chars().empty() || id >= kMaxId) continue;
    builder.Add(spelled.chars(), id);
    with_several += spelled.chars().size() > 1;
  }
  if (are_few(with_several) || !builder.Build(*this)) *this = CharTrie();
}

void CharTrie::Save(TableWriter& to) const {
  to.PutTable(roots_);
  to.PutTable(children_);
}

CharTrie CharTrie::Load(TableReader& from) {
  CharTrie trie;
  trie.roots_ = from.TakeTable<uint64_t>();
  trie.children_ = from.TakeTable<uint64_t>();
  from.Expect(trie.roots_.empty() ? trie.children_.empty()
                                  : trie.roots_.size() == CharCuts::kChars &&
                                        !trie.children_.empty());
  return from.ok() ? std::move(trie) : CharTrie();
}

}  // namespace penstock
