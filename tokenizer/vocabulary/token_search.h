// Looks for new pieces among the tokens, many side by side.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "tokenizer/interface/tokenizer.h"
#include "tokenizer/vocabulary/vocabulary.h"

namespace penstock {

// Threads: one at a time.
class TokenSearch {
 public:
  static constexpr size_t kMost = 2048;

  // `vocabulary` must outlive it, and so must the bytes that are added.
  explicit TokenSearch(const Vocabulary& vocabulary)
      : vocabulary_(vocabulary) {}

  // At most kMost, before the first Find. Skip counts as one that is not found.
  void Add(std::string_view bytes) {
    searches_[count_++] = vocabulary_.BeginSearch(bytes);
  }
  void Skip() { Add({}); }
  // What Vocabulary::Find finds for the one that was added as that, from 0 on.
  std::optional<TokenId> Find(size_t nth) {
    if (!ended_) {
      vocabulary_.EndSearches(std::span(searches_).first(count_));
      ended_ = true;
    }
    const TokenId id = searches_[nth].id;
    if (id == Vocabulary::Search::kNotFound) return std::nullopt;
    return id;
  }

 private:
  const Vocabulary& vocabulary_;
  std::array<Vocabulary::Search, kMost> searches_;
  size_t count_ = 0;
  bool ended_ = false;
};

}  // namespace penstock
