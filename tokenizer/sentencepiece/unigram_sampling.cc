// What UnigramSegmenter does beside the best way to segment a text.
#include "formats/files/status_or.h"
#include "tokenizer/sentencepiece/unigram_segmenter.h"

namespace penstock {

namespace {

using Lattice = UnigramLattice<float>;

}  // namespace

template <typename Real>
Lattice UnigramSegmenter<Real>::LatticeOf(std::string_view text) const {
  return {text, trie_, lattice_scores_.values(), unknown_score_};
}

template <typename Real>
Status UnigramSegmenter<Real>::Best(std::string_view text, size_t count,
                                    std::vector<Way>& ways) const {
  const Lattice lattice = LatticeOf(text);
  ways.clear();
  for (const Lattice::Path& path : lattice.Best(count)) {
    Way& way = ways.emplace_back();
    way.score = path.score;
    for (const Lattice::Node* node : path.nodes) {
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
  PENSTOCK_ASSIGN_OR_RETURN(const double alpha, ScoreFactor(sampling));
  if (sampling.best == 1) {
    Segment(text, scratch, sink);
    return OkStatus();
  }
  const Lattice lattice = LatticeOf(text);
  const Drawing drawing = {alpha, sampling.best, draws};
  for (const auto* node : lattice.Draw(drawing, DrawRule::kInProportion)) {
    if (node->id == PieceTrie::kNoPiece) {
      sink.PutUnknown(text.substr(node->begin, node->end - node->begin));
    } else {
      sink.Put(static_cast<TokenId>(node->id));
    }
  }
  return OkStatus();
}

template Lattice UnigramSegmenter<float>::LatticeOf(std::string_view) const;
template Status UnigramSegmenter<float>::Best(std::string_view, size_t,
                                              std::vector<Way>&) const;
template Status UnigramSegmenter<float>::Sample(std::string_view,
                                                const Sampling&, Draws&,
                                                Scratch&, PieceSink&) const;
template Lattice UnigramSegmenter<double>::LatticeOf(std::string_view) const;
template Status UnigramSegmenter<double>::Best(std::string_view, size_t,
                                               std::vector<Way>&) const;
template Status UnigramSegmenter<double>::Sample(std::string_view,
                                                 const Sampling&, Draws&,
                                                 Scratch&, PieceSink&) const;

}  // namespace penstock
