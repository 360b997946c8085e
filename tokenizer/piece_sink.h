// Turns pieces into ids.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer.h"

namespace penstock {

// What becomes of text that no piece covers.
struct UnknownRule {
  bool as_bytes = false;
  std::array<TokenId, 256> byte_ids{};  // if as_bytes
  TokenId id = 0;                       // if not
};

// Threads: one at a time.
class PieceSink {
 public:
  // Appends to `ids`. Both must outlive this.
  PieceSink(const UnknownRule& rule, std::vector<TokenId>& ids)
      : rule_(rule), ids_(ids) {}

  void Put(TokenId id) {
    ids_.push_back(id);
    after_unknown_ = false;
  }
  // Not none.
  void Put(std::span<const TokenId> ids) {
    ids_.insert(ids_.end(), ids.begin(), ids.end());
    after_unknown_ = false;
  }

  // Text without a piece: its bytes, or one id for all that follow each other.
  void PutUnknown(std::string_view text) {
    if (rule_.as_bytes) {
      for (const char c : text) {
        ids_.push_back(rule_.byte_ids[static_cast<unsigned char>(c)]);
      }
    } else if (!after_unknown_) {
      ids_.push_back(rule_.id);
    }
    after_unknown_ = true;
  }

 private:
  const UnknownRule& rule_;
  std::vector<TokenId>& ids_;
  bool after_unknown_ = false;
};

}  // namespace penstock
