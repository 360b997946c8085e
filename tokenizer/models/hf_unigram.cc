#include "tokenizer/models/hf_unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/unicode/valid_utf8.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {
namespace {

constexpr double kUnknownPenalty = 10.0;

Status NoUnknown() {
  return InvalidArgumentError(
      "a character is not in the vocabulary, and there is no unknown token");
}

}  // namespace

StatusOr<std::unique_ptr<const HfUnigram>> HfUnigram::Make(
    Vocabulary vocabulary, std::vector<double> scores,
    HfUnigramOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, TrieOf(vocabulary));
  return std::unique_ptr<const HfUnigram>(new HfUnigram(
      std::move(vocabulary), std::move(scores), options, std::move(trie)));
}

HfUnigram::HfUnigram(Vocabulary vocabulary, std::vector<double> scores,
                     HfUnigramOptions options, PieceTrie trie)
    : vocabulary_(std::move(vocabulary)),
      scores_(std::move(scores)),
      options_(options),
      trie_(std::move(trie)) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const double score : scores_) {
    if (score < lowest) lowest = score;
  }
  unknown_score_ = lowest - kUnknownPenalty;
  if (!options_.byte_fallback) return;
  for (int byte = 0; byte < 256; ++byte) {
    byte_tokens_[byte] = vocabulary_.Find(fmt::format("<0x{:02X}>", byte));
  }
}

Status HfUnigram::FindBestPath(std::string_view piece,
                               std::vector<Step>& steps) const {
  steps.assign(piece.size() + 1, {});
  const auto offer = [&](size_t end, size_t begin, double score, TokenId id) {
    Step& step = steps[end];
    if (step.begin != kNoStep && !(score > step.score)) return;
    step = {score, static_cast<uint32_t>(begin), id};
  };
  for (size_t begin = 0; begin < piece.size();) {
    const double before = steps[begin].score;
    const size_t char_end = begin + Utf8Size(piece[begin]);
    bool has_char = false;
    PieceTrie::Node node = PieceTrie::Root();
    int32_t id;
    for (size_t i = begin;
         i < piece.size() &&
         trie_.Step(node, static_cast<unsigned char>(piece[i]), id);) {
      ++i;
      if (id == PieceTrie::kNoPiece) continue;
      const auto token = static_cast<TokenId>(id);
      offer(i, begin, scores_[token] + before, token);
      has_char |= i == char_end;
    }
    if (!has_char) {
      const double score = unknown_score_ + before;
      const Step& step = steps[char_end];
      if (step.begin == kNoStep || score > step.score) {
        if (!options_.unknown) return NoUnknown();
        offer(char_end, begin, score, *options_.unknown);
      }
    }
    begin = char_end;
  }
  return OkStatus();
}

Status HfUnigram::Encode(std::string_view piece, std::vector<TokenId>& ids,
                         std::vector<TokenSpan>* spans) const {
  std::vector<Step> steps;
  PENSTOCK_RETURN_IF_ERROR(FindBestPath(piece, steps));
  // Backwards: the tokens, neighbouring unknown ones as one.
  std::vector<TokenSpan> path;
  bool last_unknown = false;
  for (auto end = static_cast<uint32_t>(piece.size()); end > 0;) {
    const Step& step = steps[end];
    const bool unknown = options_.unknown && step.id == *options_.unknown;
    if (unknown && last_unknown) {
      path.back().begin = step.begin;
    } else {
      path.push_back({step.begin, end});
    }
    last_unknown = unknown;
    end = step.begin;
  }
  std::reverse(path.begin(), path.end());
  for (const TokenSpan span : path) {
    // Unknown text that together is a token is that token.
    const std::string_view text =
        piece.substr(span.begin, span.end - span.begin);
    std::optional<TokenId> id = vocabulary_.Find(text);
    if (!id) {
      if (AppendBytes(text, span, ids, spans)) continue;
      id = options_.unknown;
      if (!id) return NoUnknown();
    }
    ids.push_back(*id);
    if (spans) spans->push_back(span);
  }
  return OkStatus();
}

bool HfUnigram::AppendBytes(std::string_view text, TokenSpan span,
                            std::vector<TokenId>& ids,
                            std::vector<TokenSpan>* spans) const {
  const auto token_of = [this](char byte) {
    return byte_tokens_[static_cast<unsigned char>(byte)];
  };
  if (!options_.byte_fallback ||
      !std::all_of(text.begin(), text.end(), token_of)) {
    return false;
  }
  for (const char byte : text) {
    ids.push_back(*token_of(byte));
    if (spans) spans->push_back(span);
  }
  return true;
}

uint64_t HfUnigram::Fingerprint() const {
  Fingerprinter print;
  print.Add(uint64_t{options_.unknown.value_or(~TokenId{0})});
  print.Add(uint64_t{options_.byte_fallback});
  for (const double score : scores_) print.Add(std::bit_cast<uint64_t>(score));
  return print.Finish();
}

}  // namespace penstock
