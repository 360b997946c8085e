// What UnigramSegmenter does beside the best way to segment a text.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tokenizer/sentencepiece/unigram_segmenter.h"

namespace penstock {

template <typename Real>
UnigramLattice UnigramSegmenter<Real>::LatticeOf(std::string_view text) const {
  return UnigramLattice(text, trie_, lattice_scores_.values(), unknown_score_);
}

template <typename Real>
Status UnigramSegmenter<Real>::Best(std::string_view text, size_t count,
                                    std::vector<Way>& ways) const {
  const UnigramLattice lattice = LatticeOf(text);
  ways.clear();
  for (const UnigramLattice::Path& path : lattice.Best(count)) {
    Way& way = ways.emplace_back();
    way.score = path.score;
    for (const UnigramLattice::Node* node : path.nodes) {
      way.pieces.push_back(
          {text.substr(node->begin, node->end - node->begin), node->id});
    }
  }
  return OkStatus();
}

template <typename Real>
Status UnigramSegmenter<Real>::Sample(std::string_view text,
                                      const Sampling& sampling, Draws& draws,
                                      Scratch& scratch, PieceSink& sink) const {
  constexpr double kDefaultAlpha = 0.1;
  const double alpha = sampling.alpha.value_or(kDefaultAlpha);
  if (!std::isfinite(alpha)) {
    return InvalidArgumentError(
        fmt::format("alpha is {}; give a number", alpha));
  }
  if (sampling.best == 1) {
    Segment(text, scratch, sink);
    return OkStatus();
  }
  const UnigramLattice lattice = LatticeOf(text);
  std::vector<const UnigramLattice::Node*> drawn;
  if (sampling.best == 0) {
    drawn = lattice.Draw(alpha, draws);
  } else {
    std::vector<UnigramLattice::Path> paths = lattice.Best(sampling.best);
    std::vector<double> weights;
    double largest = -std::numeric_limits<double>::infinity();
    for (const auto& path : paths) {
      largest = std::max(largest, alpha * path.score);
    }
    double sum = 0;
    for (const auto& path : paths) {
      weights.push_back(std::exp(alpha * path.score - largest));
      sum += weights.back();
    }
    double left = draws.Next() * sum;
    size_t i = 0;
    while (i + 1 < paths.size() && (left -= weights[i]) >= 0) ++i;
    if (!paths.empty()) drawn = std::move(paths[i].nodes);
  }
  for (const UnigramLattice::Node* node : drawn) {
    if (node->id == PieceTrie::kNoPiece) {
      sink.PutUnknown(text.substr(node->begin, node->end - node->begin));
    } else {
      sink.Put(static_cast<TokenId>(node->id));
    }
  }
  return OkStatus();
}

template UnigramLattice UnigramSegmenter<float>::LatticeOf(
    std::string_view) const;
template Status UnigramSegmenter<float>::Best(std::string_view, size_t,
                                              std::vector<Way>&) const;
template Status UnigramSegmenter<float>::Sample(std::string_view,
                                                const Sampling&, Draws&,
                                                Scratch&, PieceSink&) const;
template UnigramLattice UnigramSegmenter<double>::LatticeOf(
    std::string_view) const;
template Status UnigramSegmenter<double>::Best(std::string_view, size_t,
                                               std::vector<Way>&) const;
template Status UnigramSegmenter<double>::Sample(std::string_view,
                                                 const Sampling&, Draws&,
                                                 Scratch&, PieceSink&) const;

}  // namespace penstock
