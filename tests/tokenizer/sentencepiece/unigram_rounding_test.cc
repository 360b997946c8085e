// What a unigram model remembers of parts, beside one path found anew through
// all of the text.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/sentencepiece/unigram_rules.h"
#include "tokenizer/unicode/utf8.h"

namespace penstock {
namespace {

using testing::Ids;
using testing::ParseTiny;
using testing::TinyPiece;
using testing::TinySentencePiece;
using PieceType = SentencePiece::Type;

constexpr std::string_view kSpaceSign = "\xe2\x96\x81";

// The pieces that are found in text: their ids and scores.
using Found = std::map<std::string_view, std::pair<TokenId, float>>;
constexpr size_t kLongest = 5;  // bytes of a piece

constexpr TokenId kUnknown = 0;

// The reference's rule: sums are floats, compared as `Real`, a place at a time,
// shorter pieces first. A character without a piece has `unknown`; those that
// follow each other are one id, or all their bytes, from `first_byte` on.
template <typename Real>
std::vector<TokenId> BestPath(const Found& pieces, float unknown,
                              std::optional<TokenId> first_byte,
                              std::string_view text) {
  struct Place {
    float score = 0;
    size_t begin = 0;
    TokenId id = kUnknown;
    bool is_reached = false;
  };
  std::vector<Place> places(text.size() + 1);
  places[0].is_reached = true;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!places[at].is_reached) continue;
    const auto reach = [&](size_t end, float score, TokenId id) {
      const Real sum = static_cast<Real>(score) + places[at].score;
      Place& place = places[end];
      if (!place.is_reached || sum > place.score) {
        place = {static_cast<float>(sum), at, id, true};
      }
    };
    const size_t longest = std::min(kLongest, text.size() - at);
    for (size_t size = 1; size <= longest; ++size) {
      const auto piece = pieces.find(text.substr(at, size));
      if (piece == pieces.end()) continue;
      reach(at + size, piece->second.second, piece->second.first);
    }
    if (text.substr(at).starts_with(kSpaceSign)) continue;
    const std::string_view character =
        text.substr(at, Utf8SizeByLead(static_cast<unsigned char>(text[at])));
    if (!pieces.contains(character)) {
      reach(at + character.size(), unknown, kUnknown);
    }
  }
  std::vector<TokenId> ids;
  for (size_t at = text.size(); at != 0; at = places[at].begin) {
    if (places[at].id != kUnknown) {
      ids.push_back(places[at].id);
    } else if (first_byte) {
      for (size_t i = at; i-- > places[at].begin;) {
        ids.push_back(*first_byte + static_cast<unsigned char>(text[i]));
      }
    } else if (ids.empty() || ids.back() != kUnknown) {
      ids.push_back(kUnknown);
    }
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

TEST(UnigramRoundingTest, PartsAreTakenAsKnownOnlyWhereRoundingCannotDecide) {
  std::mt19937 random(11);
  const auto below = [&](size_t end) {
    return static_cast<size_t>(random() % end);
  };
  for (int model = 0; model < testing::Cases(70); ++model) {
    // Ways to cut a word have nearly equal sums, off by up to 10^-exponent.
    const double noise = std::pow(10.0, -static_cast<double>(below(8)));
    std::set<std::string> texts = {"a", "b", "c"};
    while (texts.size() < 24) {
      std::string text;
      for (size_t size = 2 + below(4); size != 0; --size) {
        text += static_cast<char>('a' + below(3));
      }
      texts.insert(text);
    }
    TinySentencePiece source = {.pieces = {{"<unk>", 0, PieceType::kUnknown},
                                           {"<s>", 0, PieceType::kControl},
                                           {"</s>", 0, PieceType::kControl},
                                           {kSpaceSign, -0.7f},
                                           {"x", -690.3f}}};
    source.byte_fallback = model % 2 == 1;
    // A letter without a piece has 10 less than the least.
    const float unknown = -690.3f - 10.0f;
    for (const std::string& text : texts) {
      const double off = noise * (static_cast<double>(below(201)) - 100) / 100;
      source.pieces.push_back(
          {text,
           static_cast<float>(off - 0.1 * static_cast<double>(text.size()))});
    }
    Found found;
    for (size_t id = 3; id < source.pieces.size(); ++id) {
      const TinyPiece& piece = source.pieces[id];
      found[piece.text] = {static_cast<TokenId>(id), piece.score};
    }
    std::optional<TokenId> first_byte;
    if (source.byte_fallback) {
      first_byte = static_cast<TokenId>(source.pieces.size());
    }
    const auto newer = ParseTiny(source);
    const auto older = ParseTiny(source, UnigramRules::kUntil021);
    ASSERT_TRUE(newer != nullptr && older != nullptr);
    std::string text, spelled;
    float score = 0;
    while (score < 90'000) {
      std::string word;
      for (size_t size = 1 + below(8); size != 0; --size) {
        word += static_cast<char>('a' + below(3));
      }
      if (below(8) == 0) {
        constexpr std::string_view kFar[] = {"x", "y", "yy", "é", "漢"};
        word = kFar[below(5)];
        score += 701 * static_cast<float>(word.size());
        if (below(2) == 0) word += "ab";
      }
      text += (text.empty() ? "" : " ") + word;
      spelled += std::string(kSpaceSign) + word;
    }
    ASSERT_EQ(Ids(*newer, text),
              BestPath<float>(found, unknown, first_byte, spelled));
    ASSERT_EQ(Ids(*older, text),
              BestPath<double>(found, unknown, first_byte, spelled));
  }
}

}  // namespace
}  // namespace penstock
