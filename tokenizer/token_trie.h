// The tokens that a text begins with, one byte after the other.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "tokenizer/vocabulary.h"

namespace penstock {

// A double array: a byte leads from a node to base[node] ^ byte, which is its
// child if that one's `from` says so. Memory: 12 bytes a node, about one node
// for each two bytes of tokens.
//
// Source: Aoe, "An efficient digital search algorithm by using a double-array
// structure", 1989.
//
// Threads: any number at a time.
class TokenTrie {
 public:
  static constexpr uint32_t kRoot = 0;
  static constexpr uint32_t kNowhere = 0xffffffff;
  static constexpr TokenId kNoToken = 0xffffffff;

  // Of the tokens that `vocabulary` finds.
  explicit TokenTrie(const Vocabulary& vocabulary);

  // The node that `byte` leads to; kNowhere.
  uint32_t Step(uint32_t node, char byte) const {
    const uint32_t child = nodes_[node].base ^ static_cast<uint8_t>(byte);
    return nodes_[child].from == node ? child : kNowhere;
  }
  uint32_t Walk(uint32_t node, std::string_view bytes) const {
    for (size_t i = 0; i < bytes.size() && node != kNowhere; ++i) {
      node = Step(node, bytes[i]);
    }
    return node;
  }
  // The token that ends at `node`; kNoToken.
  TokenId TokenAt(uint32_t node) const { return nodes_[node].token; }

 private:
  struct Node {
    uint32_t base = 0;
    uint32_t from = kNowhere;  // its parent; free without one
    TokenId token = kNoToken;
  };
  struct Key {
    std::string_view bytes;
    TokenId id;
  };
  struct Task;

  uint32_t FindBase(const std::vector<uint8_t>& bytes);
  void Reserve(size_t size);

  std::vector<Node> nodes_;
  uint32_t first_free_ = 1;
};

}  // namespace penstock
