// All ways to cut a text into pieces: for the n best, and for drawing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary/draws.h"
#include "tokenizer/vocabulary/piece_trie.h"

namespace penstock {

// The paths of a unigram model through a text, in the order and the arithmetic
// (float) of sentencepiece 0.2.3.
//
// Memory:  about 24 bytes for each piece that each character begins.
//
// Threads: any number at a time, once filled.
class UnigramLattice {
 public:
  struct Node {
    uint32_t begin, end;  // in the text
    int32_t id;           // PieceTrie::kNoPiece: unknown
    float score;
  };
  struct Path {
    std::vector<const Node*> nodes;
    float score;
  };

  // `scores` are by id. `text` is UTF-8 of less than 4 GiB.
  UnigramLattice(std::string_view text, const PieceTrie& trie,
                 std::span<const float> scores, float unknown_score);

  // The best first; of equal ones, as the reference's heap has them. Beyond
  // 10,000 open paths it drops all but the most promising, as the reference
  // does: in long texts the last ones are then not the very best.
  std::vector<Path> Best(size_t count) const;

  // One path, drawn with a probability proportional to exp(theta * score).
  std::vector<const Node*> Draw(double theta, Draws& draws) const;

 private:
  struct Search;

  // Those that end at `place`, in the order of their beginnings.
  std::span<const uint32_t> EndingAt(uint32_t place) const {
    return std::span(by_end_).subspan(
        end_offsets_[place], end_offsets_[place + 1] - end_offsets_[place]);
  }

  const uint32_t size_;
  std::vector<Node> nodes_;            // by their begin
  std::vector<uint32_t> end_offsets_;  // by place; into by_end_
  std::vector<uint32_t> by_end_;       // nodes
  std::vector<float> best_;            // by place: the best path up to it
};

}  // namespace penstock
