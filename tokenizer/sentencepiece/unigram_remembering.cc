// What UnigramSegmenter remembers of parts, and how far that can be trusted.
#include <algorithm>
#include <cmath>
#include <limits>

#include "tokenizer/sentencepiece/path_score.h"
#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/sentencepiece/unigram_segmenter.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

// The sums on a path are further from 0 than the score before it by `reach` at
// most, and each is off by up to 2^-24 of itself. Two paths are compared, of
// `pieces` pieces together; `largest` is the largest score of all, without
// sign. As adding a score and rounding keep order, and what stands at a place
// never falls, the reference's path has a rounded sum not below any other's.
template <typename Real>
uint32_t SafeScore(double margin, size_t part_bytes, size_t pieces,
                   double largest) {
  const double reach = part_bytes * largest;
  const double off = static_cast<double>(pieces + 1) * 0x1p-24;
  double safe = margin / off - reach;
  if (kIsSince022<Real>) safe = std::min(safe, kUnigramResetScore - reach);
  // Infinite scores may make it no number.
  if (!(safe > 0)) return 0;
  return static_cast<uint32_t>(std::min<double>(safe, PartIds::kMostSafeScore));
}

}  // namespace

template <typename Real>
PartIds UnigramSegmenter<Real>::Remembered(std::string_view part,
                                           const PieceSink& sink) const {
  constexpr double kNever = -std::numeric_limits<double>::infinity();
  // The best and the next best path to each place, as real numbers.
  struct Place {
    double best = kNever, next = kNever;
    size_t begin = 0;
    int32_t id = PieceTrie::kNoPiece;
  };
  Place places[PartKey::kMostBytes + 1];
  places[0].best = 0;
  auto reach = [&](const Place& from, size_t begin, size_t end, double score,
                   int32_t id) {
    Place& to = places[end];
    if (const double sum = from.best + score; sum > to.best) {
      to.next = std::max(to.best, from.next + score);
      to.best = sum;
      to.begin = begin;
      to.id = id;
    } else {
      to.next = std::max(to.next, sum);
    }
  };
  size_t chars = 0;
  for (size_t at = 0; at < part.size(); ++chars) {
    const size_t char_size = std::min(
        Utf8SizeByLead(static_cast<unsigned char>(part[at])), part.size() - at);
    bool stands_alone = true;
    PieceTrie::Node node = PieceTrie::Root();
    int32_t id;
    for (size_t p = at; p < part.size(); ++p) {
      if (!trie_.Step(node, static_cast<unsigned char>(part[p]), id)) break;
      if (id == PieceTrie::kNoPiece) continue;
      reach(places[at], at, p + 1, scores_[id], id);
      if (p + 1 - at == char_size) stands_alone = false;
    }
    if (stands_alone) {
      reach(places[at], at, at + char_size, unknown_score_,
            PieceTrie::kNoPiece);
    }
    at += char_size;
  }

  PartIds found = {};
  TokenId ids[PartIds::kMost];
  size_t count = 0;
  double sum = 0;  // of scores without signs
  for (size_t at = part.size(); at != 0; at = places[at].begin) {
    if (count == PartIds::kMost) return found;
    const bool is_unknown = places[at].id == PieceTrie::kNoPiece;
    if (is_unknown) found.unknown = PartIds::Unknown::kAmong;
    ids[count] = is_unknown ? UnknownId() : static_cast<TokenId>(places[at].id);
    sum += std::abs(scores_[ids[count++]]);
  }
  const double reach_of_all = PathScore<Real>::Reach(sum);
  if (!(reach_of_all < std::numeric_limits<uint16_t>::max())) return found;
  std::reverse_copy(ids, ids + count, found.ids);
  found.count = static_cast<uint8_t>(count);
  found.reach = static_cast<uint16_t>(reach_of_all);
  const Place& last = places[part.size()];
  found.safe_score = SafeScore<Real>(last.best - last.next, part.size(),
                                     found.count + chars, largest_score_);
  if (count == 1 && found.unknown != PartIds::Unknown::kNone) {
    found.unknown = PartIds::Unknown::kAlone;
    found.count = static_cast<uint8_t>(sink.IdsOfUnknown(part, found.ids));
  }
  return found;
}

template <typename Real>
void UnigramSegmenter<Real>::PutWithUnknown(std::string_view part,
                                            const PartIds& known,
                                            PieceSink& sink) const {
  if (known.unknown == PartIds::Unknown::kAlone) {
    sink.PutUnknown(part);
    return;
  }
  size_t at = 0;
  for (size_t i = 0; i < known.count; ++i) {
    const TokenId id = known.ids[i];
    if (id != UnknownId()) {
      sink.Put(id);
      at += sizes_[id];
      continue;
    }
    const std::string_view text =
        part.substr(at, Utf8SizeByLead(static_cast<unsigned char>(part[at])));
    sink.PutUnknown(text);
    at += text.size();
  }
}

template PartIds UnigramSegmenter<float>::Remembered(std::string_view,
                                                     const PieceSink&) const;
template PartIds UnigramSegmenter<double>::Remembered(std::string_view,
                                                      const PieceSink&) const;
template void UnigramSegmenter<float>::PutWithUnknown(std::string_view,
                                                      const PartIds&,
                                                      PieceSink&) const;
template void UnigramSegmenter<double>::PutWithUnknown(std::string_view,
                                                       const PartIds&,
                                                       PieceSink&) const;

}  // namespace penstock
