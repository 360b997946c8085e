// Turns pieces into ids.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// What becomes of text that no piece covers.
struct UnknownRule {
  bool as_bytes = false;
  std::array<TokenId, 256> byte_ids{};  // if as_bytes
  TokenId id = 0;                       // if not
};

// Text that no piece covers, and the first of its ids. Of text that follows
// such text, the ids' place may be the same.
struct UnknownText {
  size_t place;  // among the ids
  size_t bytes;
};

// Threads: one at a time.
class PieceSink {
 public:
  // Ids that PutSome may read behind those it is given.
  static constexpr size_t kSlack = 8;

  // Appends to `ids`, which is fit for use again when the sink is gone. Both
  // must outlive this, and `unknown`, which is told of text that no piece
  // covers unless it is null. `text_bytes` is about how much text there will
  // be.
  PieceSink(const UnknownRule& rule, size_t text_bytes,
            std::vector<TokenId>& ids,
            std::vector<UnknownText>* unknown = nullptr)
      : rule_(rule),
        ids_(ids),
        unknown_(unknown),
        size_(ids.size()),
        step_(text_bytes / 2 + 64) {
    GrowTo(size_ + step_);
  }
  ~PieceSink() { ids_.resize(size_); }
  PieceSink(const PieceSink&) = delete;
  PieceSink& operator=(const PieceSink&) = delete;

  void Put(TokenId id) {
    MakeRoom();
    data_[size_++] = id;
    after_unknown_ = false;
  }
  // `count` is 1 to kSlack; kSlack ids may be read. They are of pieces or, if
  // `is_unknown`, IdsOfUnknown: not where somebody IsToldOfUnknown.
  void PutSome(const TokenId* ids, size_t count, bool is_unknown) {
    MakeRoom();
    std::memcpy(data_ + size_, ids, kSlack * sizeof(TokenId));
    // Which characters have a piece is hard to guess for the processor.
    size_ += count - size_t{after_unknown_ && is_unknown};
    after_unknown_ = is_unknown && !rule_.as_bytes;
  }

  // How many ids there are, and some of them, until more are put.
  size_t size() const { return size_; }
  std::span<const TokenId> Ids(size_t begin, size_t end) const {
    return {data_ + begin, end - begin};
  }

  // Text without a piece: its bytes, or one id for all that follow each other.
  void PutUnknown(std::string_view text) {
    if (IsToldOfUnknown()) {
      unknown_->push_back({size_ - after_unknown_, text.size()});
    }
    if (rule_.as_bytes) {
      PutBytes(text);
    } else if (!after_unknown_) {
      Put(rule_.id);
    }
    after_unknown_ = !rule_.as_bytes;
  }
  bool IsToldOfUnknown() const { return unknown_ != nullptr; }
  // Writes what a character of `text` without a piece becomes by itself;
  // returns how many ids, at most kSlack.
  size_t IdsOfUnknown(std::string_view text, TokenId* ids) const {
    if (!rule_.as_bytes) {
      ids[0] = rule_.id;
      return 1;
    }
    for (size_t i = 0; i < text.size(); ++i) {
      ids[i] = rule_.byte_ids[static_cast<unsigned char>(text[i])];
    }
    return text.size();
  }

 private:
  void PutBytes(std::string_view text) {
    while (!text.empty()) {
      MakeRoom();
      const size_t count = std::min(text.size(), kSlack);
      size_ += IdsOfUnknown(text.substr(0, count), data_ + size_);
      text.remove_prefix(count);
    }
  }
  // For kSlack more.
  void MakeRoom() {
    if (size_ > last_) {
      GrowTo(ids_.size() + step_);
      step_ *= 2;
    }
  }
  // More than kSlack ids.
  void GrowTo(size_t size) {
    ids_.resize(size);
    data_ = ids_.data();
    last_ = size - kSlack;
  }

  const UnknownRule& rule_;
  std::vector<TokenId>& ids_;
  std::vector<UnknownText>* const unknown_;
  size_t size_;  // of what counts in it
  size_t step_;  // by which it grows
  TokenId* data_;
  size_t last_;                 // the largest size with room for kSlack more
  bool after_unknown_ = false;  // by the rule's id, not bytes
};

}  // namespace penstock
