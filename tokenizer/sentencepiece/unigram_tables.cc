// The tables of unigram models: made of pieces, written, and read again.
#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <utility>

#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/sentencepiece/unigram_segmenter.h"
#include "tokenizer/unicode/utf8.h"
#include "tokenizer/unicode/valid_utf8.h"

namespace penstock {
namespace {

constexpr float kUnknownPenalty = 10.0f;

template <typename Real>
Real UserDefinedScore(size_t size, float largest) {
  if constexpr (kIsSince022<Real>) {
    return static_cast<float>(0.1 * (static_cast<int>(size) - 1));
  } else {
    return static_cast<float>(size) * largest - 0.1;
  }
}

size_t CountCharacters(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    at += Utf8SizeByLead(static_cast<unsigned char>(text[at]));
  }
  return count;
}

}  // namespace

template <typename Real>
UnigramSegmenter<Real>::UnigramSegmenter(std::span<const SentencePiece> pieces,
                                         PieceTrie trie,
                                         PieceBoundaries boundaries)
    : trie_(std::move(trie)), boundaries_(std::move(boundaries)) {
  float smallest = FLT_MAX;
  float largest = FLT_MIN;  // not below 0: as the reference has it
  for (const SentencePiece& piece : pieces) {
    if (piece.type != SentencePiece::Type::kNormal) continue;
    smallest = std::min(smallest, piece.score);
    largest = std::max(largest, piece.score);
  }
  HugePageVector<Real> scores;
  HugePageVector<uint16_t> sizes;
  HugePageVector<float> lattice_scores;
  scores.reserve(pieces.size() + 1);
  unknown_score_ = smallest - kUnknownPenalty;
  largest_score_ = std::abs(unknown_score_);
  for (const SentencePiece& piece : pieces) {
    scores.push_back(piece.score);
    lattice_scores.push_back(piece.score);
    sizes.push_back(static_cast<uint16_t>(piece.text.size()));
    // What stands for a character without a piece: see PathScore.
    if (piece.type == SentencePiece::Type::kUnknown) {
      scores.back() = unknown_score_;
    } else if (piece.type == SentencePiece::Type::kByte) {
      const auto byte = static_cast<char>(ByteOfPiece(piece.text));
      scores.back() = IsUtf8Continuation(byte) ? 0 : unknown_score_;
    } else if (piece.type == SentencePiece::Type::kUserDefined) {
      // The reference counts bytes for the best path, characters in a lattice.
      scores.back() = UserDefinedScore<Real>(piece.text.size(), largest);
      lattice_scores.back() = static_cast<float>(
          UserDefinedScore<Real>(CountCharacters(piece.text), largest));
    }
    if (piece.IsFound()) {
      longest_ = std::max(longest_, piece.text.size());
      largest_score_ =
          std::max<double>(largest_score_, std::abs(scores.back()));
    }
  }
  scores.push_back(unknown_score_);
  scores_ = Table<Real>(std::move(scores));
  sizes_ = Table<uint16_t>(std::move(sizes));
  lattice_scores_ = Table<float>(std::move(lattice_scores));
}

template <typename Real>
UnigramSegmenter<Real>::UnigramSegmenter(TableReader& from)
    : trie_(PieceTrie::Load(from)),
      boundaries_(PieceBoundaries::Load(from)),
      scores_(from.TakeTable<Real>()),
      sizes_(from.TakeTable<uint16_t>()),
      lattice_scores_(from.TakeTable<float>()),
      unknown_score_(
          std::bit_cast<float>(static_cast<uint32_t>(from.Number()))),
      longest_(from.Number()),
      largest_score_(std::bit_cast<double>(from.Number())) {}

template <typename Real>
void UnigramSegmenter<Real>::Save(TableWriter& to) const {
  to.PutNumber(static_cast<uint64_t>(kIsSince022<Real> ? Kind::kFloatUnigram
                                                       : Kind::kDoubleUnigram));
  trie_.Save(to);
  boundaries_.Save(to);
  to.PutTable(scores_);
  to.PutTable(sizes_);
  to.PutTable(lattice_scores_);
  to.PutNumber(std::bit_cast<uint32_t>(unknown_score_));
  to.PutNumber(longest_);
  to.PutNumber(std::bit_cast<uint64_t>(largest_score_));
}

template UnigramSegmenter<float>::UnigramSegmenter(
    std::span<const SentencePiece>, PieceTrie, PieceBoundaries);
template UnigramSegmenter<float>::UnigramSegmenter(TableReader&);
template void UnigramSegmenter<float>::Save(TableWriter&) const;
template UnigramSegmenter<double>::UnigramSegmenter(
    std::span<const SentencePiece>, PieceTrie, PieceBoundaries);
template UnigramSegmenter<double>::UnigramSegmenter(TableReader&);
template void UnigramSegmenter<double>::Save(TableWriter&) const;

}  // namespace penstock
