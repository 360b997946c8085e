#include "tokenizer/token_trie.h"

#include <algorithm>

namespace penstock {

// Keys [begin, end) share `depth` bytes, which lead to `node`.
struct TokenTrie::Task {
  uint32_t node;
  size_t begin, end;
  size_t depth;
};

TokenTrie::TokenTrie(const Vocabulary& vocabulary) {
  std::vector<Key> keys;
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (!vocabulary.Has(id)) continue;
    const std::string_view bytes = vocabulary.BytesOf(id);
    if (vocabulary.Find(bytes) == id) keys.push_back({bytes, id});
  }
  std::sort(keys.begin(), keys.end(),
            [](const Key& a, const Key& b) { return a.bytes < b.bytes; });
  Reserve(256);
  nodes_[kRoot].from = kNowhere - 1;  // taken, and nobody's child
  std::vector<Task> tasks = {{kRoot, 0, keys.size(), 0}};
  std::vector<uint8_t> bytes;
  while (!tasks.empty()) {
    Task task = tasks.back();
    tasks.pop_back();
    if (task.begin < task.end && keys[task.begin].bytes.size() == task.depth) {
      nodes_[task.node].token = keys[task.begin++].id;
    }
    const auto byte_of = [&](size_t key) {
      return static_cast<uint8_t>(keys[key].bytes[task.depth]);
    };
    bytes.clear();
    for (size_t i = task.begin; i < task.end; ++i) {
      if (bytes.empty() || bytes.back() != byte_of(i)) {
        bytes.push_back(byte_of(i));
      }
    }
    if (bytes.empty()) continue;
    const uint32_t base = FindBase(bytes);
    nodes_[task.node].base = base;
    for (const uint8_t byte : bytes) nodes_[base ^ byte].from = task.node;
    for (size_t i = task.begin; i < task.end;) {
      const uint8_t byte = byte_of(i);
      const size_t begin = i;
      while (i < task.end && byte_of(i) == byte) ++i;
      tasks.push_back({base ^ byte, begin, i, task.depth + 1});
    }
  }
}

uint32_t TokenTrie::FindBase(const std::vector<uint8_t>& bytes) {
  while (nodes_[first_free_].from != kNowhere) {
    if (++first_free_ == nodes_.size()) Reserve(nodes_.size() * 2);
  }
  // After that many tries in a crowded place it is left behind.
  constexpr int kMaxTries = 256;
  int tries = 0;
  for (uint32_t at = first_free_;; ++at) {
    if (at + 256 >= nodes_.size()) Reserve(nodes_.size() * 2);
    if (nodes_[at].from != kNowhere) continue;
    const uint32_t base = at ^ bytes[0];
    if (std::all_of(bytes.begin(), bytes.end(), [&](uint8_t byte) {
          return nodes_[base ^ byte].from == kNowhere;
        })) {
      return base;
    }
    if (++tries == kMaxTries) first_free_ = at;
  }
}

void TokenTrie::Reserve(size_t size) {
  // Any base reaches 256 nodes in its own block.
  nodes_.resize((size + 511) / 256 * 256);
}

}  // namespace penstock
