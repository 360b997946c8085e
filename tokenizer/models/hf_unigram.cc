#include "tokenizer/models/hf_unigram.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/interface/fingerprint.h"
#include "tokenizer/unicode/valid_utf8.h"
#include "tokenizer/vocabulary/unigram_lattice.h"
#include "tokenizer/vocabulary/vocabulary_trie.h"

namespace penstock {
namespace {

constexpr double kUnknownPenalty = 10.0;
// A piece has one place more than bytes.
constexpr size_t kShortPlaces = 128;

template <typename Length>
constexpr Length kUnknownBit = Length{1} << (8 * sizeof(Length) - 1);

Status NoUnknown() {
  return InvalidArgumentError(
      "a character is not in the vocabulary, and there is no unknown token");
}

}  // namespace

StatusOr<std::unique_ptr<const HfUnigram>> HfUnigram::Make(
    Vocabulary vocabulary, std::vector<double> scores,
    HfUnigramOptions options) {
  PENSTOCK_ASSIGN_OR_RETURN(PieceTrie trie, TrieOf(vocabulary));
  const Facts facts = FactsOf(vocabulary, scores);
  HugePageVector<double> table(scores.begin(), scores.end());
  return std::unique_ptr<const HfUnigram>(
      new HfUnigram(std::move(vocabulary), Table<double>(std::move(table)),
                    options, std::move(trie), facts));
}

std::unique_ptr<const HfUnigram> HfUnigram::Load(TableReader& from,
                                                 HfUnigramOptions options) {
  Facts facts;
  facts.unknown_score = std::bit_cast<double>(from.Number());
  facts.longest = from.Number();
  Vocabulary vocabulary = Vocabulary::Load(from);
  Table<double> scores = from.TakeTable<double>();
  PieceTrie trie = PieceTrie::Load(from);
  return std::unique_ptr<const HfUnigram>(
      new HfUnigram(std::move(vocabulary), std::move(scores), options,
                    std::move(trie), facts));
}

HfUnigram::Facts HfUnigram::FactsOf(const Vocabulary& vocabulary,
                                    const std::vector<double>& scores) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const double score : scores) {
    if (score < lowest) lowest = score;
  }
  Facts facts = {.unknown_score = lowest - kUnknownPenalty};
  for (TokenId id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.Has(id)) {
      facts.longest = std::max(facts.longest, vocabulary.BytesOf(id).size());
    }
  }
  return facts;
}

HfUnigram::HfUnigram(Vocabulary vocabulary, Table<double> scores,
                     HfUnigramOptions options, PieceTrie trie, Facts facts)
    : vocabulary_(std::move(vocabulary)),
      scores_(std::move(scores)),
      options_(options),
      trie_(std::move(trie)),
      facts_(facts) {
  if (!options_.byte_fallback) return;
  for (int byte = 0; byte < 256; ++byte) {
    byte_tokens_[byte] = vocabulary_.Find(fmt::format("<0x{:02X}>", byte));
  }
}

template <typename Length>
Status HfUnigram::FindBestPath(std::string_view piece,
                               Path<Length> path) const {
  // How long the last token of the best path to each place is; 0: no path yet.
  const std::span<Length> last = path.lengths;
  const std::span<double> scores = path.scores;  // of those paths
  const size_t mask = scores.size() - 1;
  scores[0] = 0;
  const auto offer = [&](size_t end, double score, Length length,
                         TokenId token) {
    if (last[end] != 0 && !(score > scores[end & mask])) return;
    scores[end & mask] = score;
    last[end] = length;
    if (!path.tokens.empty()) path.tokens[end] = token;
  };
  for (size_t begin = 0; begin < piece.size();) {
    const double before = scores[begin & mask];
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
      auto length = static_cast<Length>(i - begin);
      if (options_.unknown == token) length |= kUnknownBit<Length>;
      offer(i, scores_[token] + before, length, token);
      has_char |= i == char_end;
    }
    if (!has_char) {
      const double score = facts_.unknown_score + before;
      if (last[char_end] == 0 || score > scores[char_end & mask]) {
        if (!options_.unknown) return NoUnknown();
        offer(char_end, score,
              static_cast<Length>(char_end - begin) | kUnknownBit<Length>,
              *options_.unknown);
      }
    }
    begin = char_end;
  }
  // Turned around in place, from the end.
  Length length = last[piece.size()];
  TokenId token = path.tokens.empty() ? 0 : path.tokens[piece.size()];
  for (size_t end = piece.size(); end > 0;) {
    end -= length & ~kUnknownBit<Length>;
    length = std::exchange(last[end], length);
    if (!path.tokens.empty()) token = std::exchange(path.tokens[end], token);
  }
  return OkStatus();
}

Status HfUnigram::Encode(std::string_view piece, std::vector<TokenId>& ids,
                         std::vector<TokenSpan>* spans) const {
  if (piece.size() < kShortPlaces) return EncodeShortPiece(piece, ids, spans);
  return facts_.longest < kUnknownBit<uint16_t>
             ? EncodeAnyPiece<uint16_t>(piece, ids, spans)
             : EncodeAnyPiece<uint32_t>(piece, ids, spans);
}

// Without memory of the heap, and tokens are kept, not looked up again.
Status HfUnigram::EncodeShortPiece(std::string_view piece,
                                   std::vector<TokenId>& ids,
                                   std::vector<TokenSpan>* spans) const {
  std::array<uint16_t, kShortPlaces> lengths;
  std::array<TokenId, kShortPlaces> tokens;
  std::array<double, kShortPlaces> scores;
  std::fill_n(lengths.begin(), piece.size() + 1, uint16_t{0});
  const Path<uint16_t> path = {lengths, tokens, scores};
  PENSTOCK_RETURN_IF_ERROR(FindBestPath(piece, path));
  return AppendPath(piece, path, ids, spans);
}

template <typename Length>
Status HfUnigram::EncodeAnyPiece(std::string_view piece,
                                 std::vector<TokenId>& ids,
                                 std::vector<TokenSpan>* spans) const {
  std::vector<Length> lengths(piece.size() + 1);
  std::vector<double> scores(
      std::bit_ceil(std::min(piece.size(), facts_.longest) + 1));
  const Path<Length> path = {lengths, {}, scores};
  PENSTOCK_RETURN_IF_ERROR(FindBestPath(piece, path));
  return AppendPath(piece, path, ids, spans);
}

template <typename Length>
Status HfUnigram::AppendPath(std::string_view piece, const Path<Length>& path,
                             std::vector<TokenId>& ids,
                             std::vector<TokenSpan>* spans) const {
  const auto is_unknown = [&](size_t begin) {
    return (path.lengths[begin] & kUnknownBit<Length>) != 0;
  };
  for (size_t begin = 0; begin < piece.size();) {
    size_t end = begin + (path.lengths[begin] & ~kUnknownBit<Length>);
    TokenSpan span = {static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    if (!path.tokens.empty() && !is_unknown(begin)) {
      ids.push_back(path.tokens[begin]);
      if (spans) spans->push_back(span);
      begin = end;
      continue;
    }
    // Neighbouring unknown ones are one.
    while (is_unknown(begin) && end < piece.size() && is_unknown(end)) {
      end += path.lengths[end] & ~kUnknownBit<Length>;
    }
    span.end = static_cast<uint32_t>(end);
    begin = end;
    PENSTOCK_RETURN_IF_ERROR(AppendToken(piece, span, ids, spans));
  }
  return OkStatus();
}

StatusOr<double> HfUnigram::AlphaOf(const Sampling& sampling) const {
  PENSTOCK_RETURN_IF_ERROR(CheckBest(sampling.best, /*least=*/0));
  PENSTOCK_ASSIGN_OR_RETURN(const double alpha, ScoreFactor(sampling));
  return sampling.best == 1 ? 0 : alpha;
}

Status HfUnigram::EncodeSampled(std::string_view piece, const Drawing& drawing,
                                std::vector<TokenId>& ids) const {
  std::optional<double> unknown_score;
  if (options_.unknown) unknown_score = facts_.unknown_score;
  const UnigramLattice<double> lattice(piece, trie_, scores_.values(),
                                       unknown_score);
  if (!lattice.HasPath()) return NoUnknown();
  const auto nodes = lattice.Draw(drawing, DrawRule::kHuggingFace);
  const auto is_unknown = [&](const auto* node) {
    return node->id == PieceTrie::kNoPiece ||
           static_cast<TokenId>(node->id) == options_.unknown;
  };
  for (auto node = nodes.begin(); node != nodes.end();) {
    const auto first = node++;
    if (is_unknown(*first)) {
      node = std::find_if_not(node, nodes.end(), is_unknown);
    }
    PENSTOCK_RETURN_IF_ERROR(AppendToken(
        piece, {(*first)->begin, (*std::prev(node))->end}, ids, nullptr));
  }
  return OkStatus();
}

Status HfUnigram::AppendToken(std::string_view piece, TokenSpan span,
                              std::vector<TokenId>& ids,
                              std::vector<TokenSpan>* spans) const {
  // Unknown text that together is a token is that token.
  const std::string_view text = piece.substr(span.begin, span.end - span.begin);
  std::optional<TokenId> id = vocabulary_.Find(text);
  if (!id) {
    if (AppendBytes(text, span, ids, spans)) return OkStatus();
    id = options_.unknown;
    if (!id) return NoUnknown();
  }
  ids.push_back(*id);
  if (spans) spans->push_back(span);
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

void HfUnigram::Save(TableWriter& to) const {
  to.PutNumber(std::bit_cast<uint64_t>(facts_.unknown_score));
  to.PutNumber(facts_.longest);
  vocabulary_.Save(to);
  to.PutTable(scores_);
  trie_.Save(to);
}

}  // namespace penstock
