// All ways to cut a text into pieces: for the n best, and for drawing one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/vocabulary/draws.h"
#include "tokenizer/vocabulary/piece_trie.h"

namespace penstock {

// What a way to segment is drawn by, where it is not among the n best.
enum class DrawRule {
  // exp(alpha * score).
  kInProportion,
  // What Hugging Face tokenizers 0.23.3 make of that: the logarithm of the sum
  // over all paths up to a place is multiplied with alpha again at each piece.
  kHuggingFace,
};

// The paths of a unigram model through a text, in the order and the arithmetic
// of sentencepiece 0.2.3 (Real is float); Hugging Face tokenizers have double,
// and may choose others of paths with equal scores.
//
// Memory:  about 24 bytes for each piece that each character begins.
//
// Threads: any number at a time, once filled.
template <typename Real>
class UnigramLattice {
 public:
  struct Node {
    uint32_t begin, end;  // in the text
    int32_t id;           // PieceTrie::kNoPiece: unknown
    Real score;
  };
  struct Path {
    std::vector<const Node*> nodes;
    Real score;
  };

  // `scores` are by id. `text` is UTF-8 of less than 4 GiB. Without an
  // `unknown_score`, no path leads over a character without a piece.
  UnigramLattice(std::string_view text, const PieceTrie& trie,
                 std::span<const Real> scores,
                 std::optional<Real> unknown_score);

  bool HasPath() const { return has_path_; }

  // The best first; of equal ones, as the reference's heap has them. Beyond
  // 10,000 open paths it drops all but the most promising, as the reference
  // does: in long texts the last ones are then not the very best.
  std::vector<Path> Best(size_t count) const;

  // One path, if it HasPath: of all drawn by `rule`, of `drawing.best` best in
  // proportion to exp(alpha * score).
  std::vector<const Node*> Draw(const Drawing& drawing, DrawRule rule) const;

 private:
  struct Search;

  std::vector<const Node*> DrawOfAll(const Drawing& drawing,
                                     DrawRule rule) const;
  std::vector<const Node*> DrawOfBest(const Drawing& drawing) const;

  // Those that end at `place`, in the order of their beginnings.
  std::span<const uint32_t> EndingAt(uint32_t place) const {
    return std::span(by_end_).subspan(
        end_offsets_[place], end_offsets_[place + 1] - end_offsets_[place]);
  }

  const uint32_t size_;
  bool has_path_ = false;
  std::vector<Node> nodes_;            // by their begin, that paths lead to
  std::vector<uint32_t> end_offsets_;  // by place; into by_end_
  std::vector<uint32_t> by_end_;       // nodes
  std::vector<Real> best_;             // by place: the best path up to it
};

extern template class UnigramLattice<float>;
extern template class UnigramLattice<double>;

}  // namespace penstock
