// What the parts of pieces become, in memory that is used again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// Ids behind each other. A vector would set those first that are written.
class IdBuffer {
 public:
  void Clear() { size_ = 0; }
  uint32_t size() const { return size_; }
  // Where the next ids go, with room for `most`.
  TokenId* Room(size_t most) {
    if (ids_.size() - size_ < most) ids_.resize(2 * (size_ + most));
    return ids_.data() + size_;
  }
  uint32_t PlaceOf(const TokenId* id) const {
    return static_cast<uint32_t>(id - ids_.data());
  }
  // Has those, too, that were written there, up to `end`.
  void Take(const TokenId* end) { size_ = PlaceOf(end); }
  void Append(std::span<const TokenId> ids) {
    TokenId* end = Room(ids.size());
    for (const TokenId id : ids) *end++ = id;
    Take(end);
  }
  std::span<const TokenId> Between(size_t from, size_t to) const {
    return std::span(ids_).subspan(from, to - from);
  }

 private:
  std::vector<TokenId> ids_;
  uint32_t size_ = 0;
};

// Threads: one at a time.
struct PartResults {
  struct Piece {
    uint32_t first_id, end_id;
    uint32_t first_doubt, end_doubt;
  };
  // A part whose ids are its own if all that was asked of them holds.
  struct Doubt {
    uint32_t first_id, end_id;
    std::string_view part;
    bool is_wrong = false;
  };
  // Whether two ids, which are neighbours in a part, stay apart.
  struct Question {
    uint32_t doubt;
    TokenId left, right;
    bool whole_chars;  // see Derivations::WholeCharsStayApart
  };

  void Clear() {
    ids.Clear();
    pieces.clear();
    doubts.clear();
    questions.clear();
    bytes = 0;
  }

  IdBuffer ids;
  std::vector<Piece> pieces;
  std::vector<Doubt> doubts;
  std::vector<Question> questions;
  size_t bytes = 0;  // of the pieces
  IdBuffer righted;  // of one piece with a part that was wrong
  std::vector<TokenId> merged;
};

}  // namespace penstock
