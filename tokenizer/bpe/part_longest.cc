// Of part_encoder.h: the longest tokens, and whether they hold.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tokenizer/bpe/part_encoder.h"

namespace penstock {
namespace {

struct Longest {
  TokenId id = kNoToken;
  size_t chars = 1;
};

// The longest token that `codes`, of which there is one, begin with.
inline Longest LongestOf(const CharTrie& chars,
                         std::span<const CharTrie::Char> codes) {
  CharTrie::Node node = chars.At(codes[0]);
  Longest longest = {node.id()};
  for (size_t i = 1; i < codes.size() && node.goes_on(); ++i) {
    node = chars.ChildOf(node, codes[i]);
    if (!node.exists()) break;
    if (node.id() != kNoToken) longest = {node.id(), i + 1};
  }
  return longest;
}

}  // namespace

TokenId* PartEncoder::PutLongest(const Part& part, TokenId* out) {
  const CharTrie& chars = *chars_;
  // Its characters, with the one of fewer bytes that may come first.
  std::array<CharTrie::Char, CharCuts::kMostRead + 1> codes;
  size_t count = 0;
  if (part.before > 0) {
    const auto c = CharTrie::NarrowChar(part.text.substr(0, part.before));
    if (!c || chars.At(*c).id() == kNoToken) return nullptr;
    codes[count++] = *c;
  }
  const size_t narrow = count;
  for (size_t i = part.first; i <= part.last; ++i) {
    if (part.run.chars[i] < CharTrie::kEndOfNarrow) return nullptr;
    codes[count++] = part.run.chars[i];
  }
  // A bit for each place that a token with some bytes of a character may be at.
  const uint64_t broken =
      part.broken_places >> part.first << narrow | uint64_t{narrow};

  TokenId* const begin = out;
  const auto doubt = static_cast<uint32_t>(results_.doubts.size());
  const size_t questions = results_.questions.size();
  size_t chars_before = 0;  // of the token before; 0 where it has less than one
  for (size_t i = 0; i < count;) {
    const auto [longest, size] =
        LongestOf(chars, std::span(codes).subspan(i, count - i));
    size_t ids = 1;
    if (longest != kNoToken) {
      *out = longest;
    } else {
      const size_t at = part.before + (i - narrow) * CharCuts::kCharBytes;
      ids =
          IdsOfChar(codes[i], part.text.substr(at, CharCuts::kCharBytes), out);
      if (ids == 0) {
        results_.questions.resize(questions);
        return nullptr;
      }
    }
    const size_t chars_here = ids == 1 ? size : 0;
    if (i > 0) {
      const bool is_broken = (broken >> (i - 1) & 1) != 0;
      // Two characters of their own would be one token, were they to join.
      const bool may_join = chars_before * chars_here > 1;
      if (is_broken || may_join) {
        results_.questions.push_back({doubt, out[-1], *out, !is_broken});
        derivations_->Prefetch(out[-1], *out);
      }
    }
    chars_before = chars_here;
    out += ids;
    i += size;
  }
  if (results_.questions.size() > questions) {
    results_.doubts.push_back(
        {results_.ids.PlaceOf(begin), results_.ids.PlaceOf(out), part.text});
  }
  return out;
}

void PartEncoder::AnswerQuestions() {
  if (results_.questions.empty()) return;
  for (const PartResults::Question& question : results_.questions) {
    bool& is_wrong = results_.doubts[question.doubt].is_wrong;
    if (is_wrong) continue;
    is_wrong =
        question.whole_chars
            ? !derivations_->WholeCharsStayApart(question.left, question.right)
            : !memory_.neighbours.StayApart(*derivations_, question.left,
                                            question.right);
  }
  results_.questions.clear();
}

std::span<const TokenId> PartEncoder::IdsOf(size_t number) {
  AnswerQuestions();
  const PartResults::Piece& piece = results_.pieces[number];
  const auto doubts =
      std::span(results_.doubts)
          .subspan(piece.first_doubt, piece.end_doubt - piece.first_doubt);
  if (std::ranges::none_of(doubts, &PartResults::Doubt::is_wrong)) {
    return results_.ids.Between(piece.first_id, piece.end_id);
  }
  IdBuffer& righted = results_.righted;
  righted.Clear();
  size_t at = piece.first_id;
  for (const PartResults::Doubt& doubt : doubts) {
    if (!doubt.is_wrong) continue;
    righted.Append(results_.ids.Between(at, doubt.first_id));
    righted.Take(PutRight(doubt.part, righted, righted.Room(kRoom)));
    at = doubt.end_id;
  }
  righted.Append(results_.ids.Between(at, piece.end_id));
  return righted.Between(0, righted.size());
}

TokenId* PartEncoder::PutRight(std::string_view part, IdBuffer& to,
                               TokenId* out) {
  // As PutLongest took it: maybe behind one of fewer bytes.
  const size_t before = part.size() % CharCuts::kCharBytes;
  CharCuts::Run run;
  cuts_->Read(part.substr(before), run);
  return PutMerged({part, run, 0, run.count - 1, before}, to, out);
}

}  // namespace penstock
