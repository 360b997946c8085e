#include "tokenizer/vocabulary/unigram_lattice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <utility>

#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

// Of sentencepiece.
constexpr size_t kMostOpen = 10'000;
constexpr size_t kMostKept = 512;

// One of them, with a probability proportional to its weight.
size_t DrawOf(const std::vector<double>& weights, Draws& draws) {
  double left =
      draws.Next() * std::accumulate(weights.begin(), weights.end(), 0.0);
  size_t i = 0;
  while (i + 1 < weights.size() && (left -= weights[i]) >= 0) ++i;
  return i;
}

}  // namespace

template <typename Real>
UnigramLattice<Real>::UnigramLattice(std::string_view text,
                                     const PieceTrie& trie,
                                     std::span<const Real> scores,
                                     std::optional<Real> unknown_score)
    : size_(static_cast<uint32_t>(text.size())) {
  std::vector<bool> is_reached(text.size() + 1);
  is_reached[0] = true;
  const auto add = [&](Node node) {
    nodes_.push_back(node);
    is_reached[node.end] = true;
  };
  for (size_t at = 0; at < text.size();) {
    const auto begin = static_cast<uint32_t>(at);
    const size_t char_size = std::min(
        Utf8SizeByLead(static_cast<unsigned char>(text[at])), text.size() - at);
    if (!is_reached[at]) {
      at += char_size;
      continue;
    }
    bool stands_alone = true;
    PieceTrie::Node node = PieceTrie::Root();
    int32_t id;
    for (size_t p = at; p < text.size(); ++p) {
      if (!trie.Step(node, static_cast<unsigned char>(text[p]), id)) break;
      if (id == PieceTrie::kNoPiece) continue;
      add({begin, static_cast<uint32_t>(p + 1), id, scores[id]});
      if (p + 1 - at == char_size) stands_alone = false;
    }
    at += char_size;
    if (stands_alone && unknown_score) {
      add({begin, static_cast<uint32_t>(at), PieceTrie::kNoPiece,
           *unknown_score});
    }
  }
  has_path_ = is_reached.back();
  end_offsets_.resize(text.size() + 2);
  for (const Node& node : nodes_) ++end_offsets_[node.end + 1];
  for (size_t i = 1; i < end_offsets_.size(); ++i) {
    end_offsets_[i] += end_offsets_[i - 1];
  }
  by_end_.resize(nodes_.size());
  std::vector<uint32_t> filled = end_offsets_;
  // Rounding keeps the order, so the best sum up to a node is of the best one
  // up to its begin.
  best_.assign(text.size() + 1, -std::numeric_limits<Real>::infinity());
  best_[0] = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    by_end_[filled[node.end]++] = i;
    best_[node.end] = std::max(best_[node.end], best_[node.begin] + node.score);
  }
}

// A* from the end of the text: what lies before a path is known exactly.
template <typename Real>
struct UnigramLattice<Real>::Search {
  static constexpr uint32_t kNone = 0xffffffff;

  struct Hypothesis {
    uint32_t node;  // kNone: the end of the text
    uint32_t next;  // to its right
    uint32_t begin;
    bool complete;
    Real behind;  // the score from here to the end
    Real whole;   // with the best that can be before
  };
  struct Worse {
    const std::vector<Hypothesis>* hypotheses;
    bool operator()(uint32_t a, uint32_t b) const {
      return (*hypotheses)[a].whole < (*hypotheses)[b].whole;
    }
  };
  using Open = std::priority_queue<uint32_t, std::vector<uint32_t>, Worse>;

  explicit Search(const UnigramLattice& lattice)
      : lattice(lattice), open(Worse{&hypotheses}) {}

  void Push(Hypothesis hypothesis) {
    hypotheses.push_back(hypothesis);
    open.push(static_cast<uint32_t>(hypotheses.size() - 1));
  }

  void Expand(uint32_t from) {
    const Hypothesis at = hypotheses[from];
    if (at.begin == 0) {
      Push({kNone, from, 0, true, at.behind, at.behind});
      return;
    }
    for (const uint32_t i : lattice.EndingAt(at.begin)) {
      const Node& node = lattice.nodes_[i];
      const Real up_to_node = lattice.best_[node.begin] + node.score;
      Push({i, from, node.begin, false, node.score + at.behind,
            up_to_node + at.behind});
    }
  }

  // Keeps the `count` most promising, and what they lead to.
  void Shrink(size_t count) {
    std::vector<Hypothesis> kept;
    std::unordered_map<uint32_t, uint32_t> new_places;
    std::vector<uint32_t> still_open, chain;
    for (; count > 0 && !open.empty(); --count, open.pop()) {
      chain.clear();
      uint32_t h = open.top();
      for (; h != kNone && !new_places.contains(h); h = hypotheses[h].next) {
        chain.push_back(h);
      }
      uint32_t next = h == kNone ? kNone : new_places[h];
      for (auto old = chain.rbegin(); old != chain.rend(); ++old) {
        kept.push_back(hypotheses[*old]);
        kept.back().next = next;
        next = static_cast<uint32_t>(kept.size() - 1);
        new_places[*old] = next;
      }
      still_open.push_back(new_places[open.top()]);
    }
    hypotheses = std::move(kept);
    open = Open(Worse{&hypotheses});
    for (const uint32_t h : still_open) open.push(h);
  }

  Path PathOf(uint32_t complete) const {
    Path path = {{}, hypotheses[complete].whole};
    for (uint32_t h = hypotheses[complete].next; hypotheses[h].node != kNone;
         h = hypotheses[h].next) {
      path.nodes.push_back(&lattice.nodes_[hypotheses[h].node]);
    }
    return path;
  }

  const UnigramLattice& lattice;
  std::vector<Hypothesis> hypotheses;
  Open open;
};

template <typename Real>
std::vector<typename UnigramLattice<Real>::Path> UnigramLattice<Real>::Best(
    size_t count) const {
  std::vector<Path> paths;
  if (count == 0) return paths;
  Search search(*this);
  search.Push({Search::kNone, Search::kNone, size_, false, 0, best_[size_]});
  while (!search.open.empty()) {
    const uint32_t top = search.open.top();
    search.open.pop();
    if (search.hypotheses[top].complete) {
      paths.push_back(search.PathOf(top));
      if (paths.size() == count) break;
      continue;
    }
    search.Expand(top);
    if (search.open.size() >= kMostOpen) {
      search.Shrink(std::min(kMostKept, count * 10));
    }
  }
  return paths;
}

template <typename Real>
std::vector<const typename UnigramLattice<Real>::Node*>
UnigramLattice<Real>::Draw(const Drawing& drawing, DrawRule rule) const {
  return drawing.best == 0 ? DrawOfAll(drawing, rule) : DrawOfBest(drawing);
}

template <typename Real>
std::vector<const typename UnigramLattice<Real>::Node*>
UnigramLattice<Real>::DrawOfBest(const Drawing& drawing) const {
  std::vector<Path> paths = Best(drawing.best);
  std::vector<double> weights;
  double largest = -std::numeric_limits<double>::infinity();
  for (const Path& path : paths) {
    largest = std::max(largest, drawing.alpha * path.score);
  }
  for (const Path& path : paths) {
    weights.push_back(std::exp(drawing.alpha * path.score - largest));
  }
  return std::move(paths[DrawOf(weights, drawing.draws)].nodes);
}

template <typename Real>
std::vector<const typename UnigramLattice<Real>::Node*>
UnigramLattice<Real>::DrawOfAll(const Drawing& drawing, DrawRule rule) const {
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  const double alpha = drawing.alpha;
  // By place: the logarithm of the sum over all paths up to it.
  std::vector<double> sums(size_ + size_t{1}, kNone);
  sums[0] = 0;
  const auto up_to = [&](uint32_t node) {
    return sums[nodes_[node].begin] + alpha * nodes_[node].score;
  };
  const auto term = [&](uint32_t node) {
    return rule == DrawRule::kInProportion
               ? up_to(node)
               : alpha * (sums[nodes_[node].begin] + nodes_[node].score);
  };
  for (uint32_t place = 1; place <= size_; ++place) {
    const std::span<const uint32_t> ending = EndingAt(place);
    double largest = kNone;
    for (const uint32_t i : ending) largest = std::max(largest, term(i));
    if (largest == kNone) continue;
    double sum = 0;
    for (const uint32_t i : ending) sum += std::exp(term(i) - largest);
    sums[place] = largest + std::log(sum);
  }
  std::vector<const Node*> path;
  std::vector<double> weights;
  for (uint32_t place = size_; place != 0; place = path.back()->begin) {
    const std::span<const uint32_t> ending = EndingAt(place);
    double largest = kNone;
    for (const uint32_t i : ending) largest = std::max(largest, up_to(i));
    weights.clear();
    for (const uint32_t i : ending) {
      weights.push_back(std::exp(up_to(i) - largest));
    }
    path.push_back(&nodes_[ending[DrawOf(weights, drawing.draws)]]);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

template class UnigramLattice<float>;
template class UnigramLattice<double>;

}  // namespace penstock
