#include "tokenizer/sentencepiece/unigram_segmenter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tokenizer/pieces/part_reader.h"
#include "tokenizer/sentencepiece/path_score.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

// Endings that are held before only their lengths are.
constexpr size_t kMostEndings = 1 << 15;

}  // namespace

template <typename Real>
struct UnigramSegmenter<Real>::OwnScratch : Scratch {
  explicit OwnScratch(SharedParts& known) : reader(known.readers) {}

  Readers::Reader reader;
  Inserter parts_inserter{reader};
  // Of the places from `begin` on; all that nothing reached are kNone.
  std::vector<Ending> endings;
  // Before `endings`: how long the last piece to each place is, 0 for none.
  std::vector<uint16_t> lengths;
  std::vector<uint32_t> path;

  // Keeps of the endings up to `end` their lengths alone; those beyond, of
  // which `frontier` is the last, move to the front. `first` is the first's
  // place.
  void Settle(size_t first, size_t end, size_t frontier) {
    for (size_t i = 0; i < end; ++i) {
      const uint32_t begin = endings[i].begin;
      lengths.push_back(begin == Ending::kNone
                            ? 0
                            : static_cast<uint16_t>(first + i - begin));
    }
    std::copy(endings.begin() + end, endings.begin() + frontier + 1,
              endings.begin());
    for (size_t i = frontier - end + 1; i <= frontier; ++i) {
      endings[i].begin = Ending::kNone;
    }
  }
};

template <typename Real>
std::unique_ptr<Segmenter::Scratch> UnigramSegmenter<Real>::NewScratch() const {
  return std::make_unique<OwnScratch>(known_);
}

template <typename Real>
void UnigramSegmenter<Real>::Segment(std::string_view text, Scratch& scratch,
                                     PieceSink& sink) const {
  auto& own = static_cast<OwnScratch&>(scratch);
  static_assert(PartReader::kMost <= PathScore<Real>::kMostParts);
  PathScore<Real> score(scores_);
  const auto quick = sink.IsToldOfUnknown() ? PartIds::Unknown::kNone
                                            : PartIds::Unknown::kAlone;
  PartEntry::Content added;
  PartReader reader(text, boundaries_, known_, own.reader);
  for (auto parts = reader.Next(); !parts.empty(); parts = reader.Next()) {
    score.Settle();
    for (const PartReader::Part& part : parts) {
      if (part.set == nullptr) {
        score.Set(SegmentPart(part.text, score.Get(), own, sink));
        continue;
      }
      const PartIds* known = PartCache::Find(part.set, part.key);
      if (known == nullptr) {
        added = {part.key, Remembered(part.text, sink)};
        known_.parts.Insert(own.parts_inserter, part.set, added);
        known = &added.ids;
      }
      if (!score.IsWithin(known->safe_score)) {
        score.Set(SegmentPart(part.text, score.Get(), own, sink));
        continue;
      }
      score.Add(*known);
      if (known->unknown > quick) {
        PutWithUnknown(part.text, *known, sink);
        continue;
      }
      sink.PutSome(known->ids, known->count,
                   known->unknown == PartIds::Unknown::kAlone);
    }
  }
}

template <typename Real>
float UnigramSegmenter<Real>::SegmentPart(std::string_view part, float score,
                                          OwnScratch& scratch,
                                          PieceSink& sink) const {
  std::vector<Ending>& endings = scratch.endings;
  if (endings.empty()) endings.resize(64);
  endings[0].score = score;
  size_t begin = 0;     // all paths come through there
  size_t first = 0;     // the place of endings[0]
  size_t frontier = 0;  // the furthest that a piece reached
  const auto emit = [&](size_t end) {
    const std::string_view settled = part.substr(begin, end - begin);
    if (first == begin) {
      Emit(settled, settled.size(), scratch, sink);
    } else {
      EmitLong(settled, scratch, sink);
    }
  };
  const auto clear = [&](size_t end) {
    for (size_t i = 0; i <= end - first; ++i) endings[i].begin = Ending::kNone;
  };
  for (size_t at = 0; at < part.size();) {
    if (at == frontier && at != begin) {
      // All paths come through here: what is before is settled.
      emit(at);
      endings[0].score = endings[at - first].score;
      clear(at);
      begin = first = at;
    } else if (at - first >= kMostEndings && longest_ <= UINT16_MAX) {
      scratch.Settle(first - begin, at - first, frontier - first);
      first = at;
    }
    Ending* const here = &endings[at - first];
    if (kIsSince022<Real> && std::abs(here->score) > kUnigramResetScore) {
      const float offset = here->score;
      here->score = 0;
      for (size_t i = at + 1; i <= frontier; ++i) {
        Ending& ending = endings[i - first];
        if (ending.begin != Ending::kNone) ending.score -= offset;
      }
    }
    const float so_far = here->score;
    auto reach = [&](size_t end, Real sum, int32_t id) {
      const size_t i = end - first;
      if (i >= endings.size()) {
        endings.resize(std::min(2 * i, part.size() - first + 1));
      }
      Ending& ending = endings[i];
      if (ending.begin == Ending::kNone || sum > ending.score) {
        ending = {static_cast<float>(sum), static_cast<uint32_t>(at - begin),
                  id};
      }
      frontier = std::max(frontier, end);
    };

    const size_t char_size = std::min(
        Utf8SizeByLead(static_cast<unsigned char>(part[at])), part.size() - at);
    bool stands_alone = true;
    PieceTrie::Node node = PieceTrie::Root();
    int32_t id;
    for (size_t p = at; p < part.size(); ++p) {
      if (!trie_.Step(node, static_cast<unsigned char>(part[p]), id)) break;
      if (id == PieceTrie::kNoPiece) continue;
      reach(p + 1, scores_[id] + so_far, id);
      if (p + 1 - at == char_size) stands_alone = false;
    }
    if (stands_alone) {
      reach(at + char_size, unknown_score_ + so_far, PieceTrie::kNoPiece);
    }
    at += char_size;
  }
  const float total = endings[part.size() - first].score;
  emit(part.size());
  clear(part.size());
  return total;
}

template <typename Real>
void UnigramSegmenter<Real>::Emit(std::string_view part, size_t end,
                                  OwnScratch& scratch, PieceSink& sink) {
  const std::vector<Ending>& endings = scratch.endings;
  std::vector<uint32_t>& path = scratch.path;
  path.clear();
  for (size_t at = end; at != 0; at = endings[at].begin) {
    path.push_back(static_cast<uint32_t>(at));
  }
  for (auto at = path.rbegin(); at != path.rend(); ++at) {
    const Ending& ending = endings[*at];
    if (ending.id == PieceTrie::kNoPiece) {
      sink.PutUnknown(part.substr(ending.begin, *at - ending.begin));
    } else {
      sink.Put(static_cast<TokenId>(ending.id));
    }
  }
}

template <typename Real>
void UnigramSegmenter<Real>::EmitLong(std::string_view part,
                                      OwnScratch& scratch,
                                      PieceSink& sink) const {
  std::vector<uint16_t>& lengths = scratch.lengths;
  const size_t first = lengths.size();
  const size_t end = part.size() - first;
  scratch.Settle(first, end, end);
  // Turned around in place, from the end: the lengths of what begins there.
  auto length = static_cast<uint16_t>(part.size() - scratch.endings[0].begin);
  for (size_t at = part.size(); at != 0;) {
    at -= length;
    length = std::exchange(lengths[at], length);
  }
  for (size_t at = 0; at != part.size();) {
    const std::string_view text = part.substr(at, lengths[at]);
    at += text.size();
    const int32_t id = trie_.Find(text);
    if (id == PieceTrie::kNoPiece) {
      sink.PutUnknown(text);
    } else {
      sink.Put(static_cast<TokenId>(id));
    }
  }
  lengths.clear();
  if (lengths.capacity() > kMostEndings) lengths.shrink_to_fit();
}

template class UnigramSegmenter<float>;
template class UnigramSegmenter<double>;

}  // namespace penstock
