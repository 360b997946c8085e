// The tokens of a vocabulary: id -> bytes, and bytes -> id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/first_bytes.h"
#include "tokenizer/vocabulary/stored_tables.h"
#include "tokenizer/vocabulary/table.h"

namespace penstock {

// Larger ids are refused by the loaders: real vocabularies end below 2^20, and
// a wrong id in a file must not ask for the memory of 2^32 tokens.
inline constexpr TokenId kMaxTokenId = (1u << 22) - 1;
inline constexpr TokenId kNoToken = 0xffffffff;

// A hash for tables. Compiled files hold tables made with it: where it changes,
// so does their version (tokenizer/files/compiled_file.h).
inline uint64_t HashForTable(std::string_view bytes) {
  constexpr uint64_t kMultiplier = 0x9fb21c651e98df25;
  uint64_t hash = bytes.size() * kMultiplier;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    hash = (hash ^ FirstBytes(bytes)) * kMultiplier;
    hash ^= hash >> 29;
  }
  hash = (hash ^ FirstBytes(bytes)) * kMultiplier;
  return hash ^ (hash >> 32);
}

// Ids may have gaps. Memory: the tokens' bytes, below 4 GiB, 8 for each id, 8
// to 16 for each token that can be looked up.
//
// Threads: any number at a time, once filled.
class Vocabulary {
 public:
  enum class Added { kYes, kIdTaken, kBytesTaken };

  // `id` <= kMaxTokenId. Changes nothing unless it returns kYes.
  Added Add(TokenId id, std::string_view bytes);
  // Adds a token that Find does not find: for decoding only. Its bytes may be
  // another token's too.
  Added AddForDecoding(TokenId id, std::string_view bytes);

  // Makes room for that many tokens of so many bytes together, if that is
  // known, so that adding them is faster.
  void Reserve(size_t tokens, size_t bytes = 0);

  std::optional<TokenId> Find(std::string_view bytes) const;
  // Brings what Find(bytes) looks at first nearer.
  void Prefetch(std::string_view bytes) const {
    if (slots_.empty()) return;
    __builtin_prefetch(&slots_[HashForTable(bytes) & (slots_.size() - 1)]);
  }
  // A Find in two steps, for many at a time: the memory that one looks at comes
  // while the others are looked at.
  struct Search {
    const char* data;
    uint32_t size;  // 0: nothing is looked for
    TokenId id;     // kNotFound until it is found
    uint64_t hash;

    static constexpr TokenId kNotFound = 0xffffffff;
    std::string_view bytes() const { return {data, size}; }
  };
  Search BeginSearch(std::string_view bytes) const {
    if (bytes.empty() || bytes.size() > longest_) {
      return {nullptr, 0, Search::kNotFound, 0};
    }
    const uint64_t hash = HashForTable(bytes);
    __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]);
    return {bytes.data(), static_cast<uint32_t>(bytes.size()),
            Search::kNotFound, hash};
  }
  // Sets their ids.
  void EndSearches(std::span<Search> searches) const;
  // Whether Find finds every token: none was added for decoding only.
  bool FindsAll() const { return used_slots_ == tokens_; }
  bool Has(TokenId id) const {
    return id < entries_.size() && entries_[id].size != kAbsent;
  }
  // Has(id) must hold. Valid until the next Add.
  std::string_view BytesOf(TokenId id) const {
    return {bytes_.data() + entries_[id].begin, entries_[id].size};
  }

  // One more than the largest id.
  size_t size() const { return entries_.size(); }
  // How many ids have a token.
  size_t tokens() const { return tokens_; }

  // What Load makes a vocabulary of again, that looks where `from` does.
  void Save(TableWriter& to) const;
  static Vocabulary Load(TableReader& from);

 private:
  static constexpr uint32_t kAbsent = 0xffffffff;
  struct Entry {
    uint32_t begin = 0;
    uint32_t size = kAbsent;
  };
  // An id and above it ten bits of the hash: most slots are told apart by them.
  using Slot = uint32_t;
  static constexpr int kIdBits = 22;
  static constexpr Slot kFree = 0xffffffff;  // no tag is that large
  static constexpr uint32_t kLargestTag = (1u << (32 - kIdBits)) - 2;
  static_assert(kMaxTokenId >> kIdBits == 0);

  static Slot SlotFor(TokenId id, uint64_t hash) {
    const auto tag = static_cast<uint32_t>(hash >> (32 + kIdBits));
    return std::min(tag, kLargestTag) << kIdBits | id;
  }
  static TokenId IdIn(Slot slot) { return slot & ((1u << kIdBits) - 1); }

  // The first slot from `place` on that is free or may be of who hashes so.
  size_t LikelyPlace(uint64_t hash, size_t place) const;
  // The slot that holds `bytes`, or the free one where they would go.
  size_t PlaceOf(std::string_view bytes, uint64_t hash) const;
  void Grow() { Resize(slots_.empty() ? 1024 : slots_.size() * 2); }
  void Resize(size_t slots);
  void Store(TokenId id, std::string_view bytes);

  Table<char> bytes_;
  Table<Entry> entries_;  // by id
  Table<Slot> slots_;     // open addressing, a power of two, half full
  size_t longest_ = 0;    // bytes of the longest token in slots_
  size_t used_slots_ = 0;
  size_t tokens_ = 0;
};

}  // namespace penstock
