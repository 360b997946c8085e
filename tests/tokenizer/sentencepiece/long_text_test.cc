// Text without end that no piece divides: one digit, again and again.

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/effort.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"
#include "tests/tokenizer/sentencepiece/tiny_sentencepiece.h"
#include "tokenizer/load.h"

namespace penstock {
namespace {

using testing::ParseTiny;
using testing::ScratchFolder;
using testing::TinyPiece;
using testing::TinySentencePiece;

// Scores of which all sums here are exact, so that the best path is the same
// in float and in double, whatever the order.
const std::vector<TinyPiece> kPieces = {
    {"1", -3},          {"11", -5},   {"111", -8},
    {"2", -4},          {"12", -5.5}, {"2111", -8.25},
    {"1111111", -17.5}, {"é", -6},    {"1é2", -10.75}};
constexpr float kLowest = -17.5;
constexpr TokenId kFirst = 3;  // behind <unk>, <s> and </s>

// The best path, by the rule: of equal sums the longer last piece.
std::vector<TokenId> BestPath(const std::string& text) {
  struct Place {
    double score = 0;
    size_t begin = std::string::npos;
    TokenId id = 0;
  };
  std::vector<Place> places(text.size() + 1);
  for (size_t end = 1; end <= text.size(); ++end) {
    Place& place = places[end];
    const auto offer = [&](size_t size, double score, TokenId id) {
      const size_t begin = end - size;
      if (begin != 0 && places[begin].begin == std::string::npos) return;
      const double sum = places[begin].score + score;
      const bool first = place.begin == std::string::npos;
      if (!first &&
          (sum < place.score || (sum == place.score && begin > place.begin))) {
        return;
      }
      place = {sum, begin, id};
    };
    for (size_t p = 0; p < kPieces.size(); ++p) {
      const std::string_view piece = kPieces[p].text;
      if (piece.size() <= end &&
          text.compare(end - piece.size(), piece.size(), piece) == 0) {
        offer(piece.size(), kPieces[p].score, kFirst + p);
      }
    }
    if (text[end - 1] == 'x') offer(1, kLowest - 10, 0);
  }
  std::vector<TokenId> ids;
  for (size_t at = text.size(); at != 0; at = places[at].begin) {
    // Neighbouring unknown ones are one.
    if (places[at].id != 0 || ids.empty() || ids.back() != 0) {
      ids.push_back(places[at].id);
    }
  }
  std::reverse(ids.begin(), ids.end());
  return ids;
}

class LongTextTest : public ::testing::Test {
 protected:
  static std::shared_ptr<const Tokenizer> SentencePieceOf(
      SentencePieceModel::Type type) {
    TinySentencePiece model = {.type = type};
    using Type = SentencePiece::Type;
    model.pieces = {{"<unk>", 0, Type::kUnknown},
                    {"<s>", 0, Type::kControl},
                    {"</s>", 0, Type::kControl}};
    model.pieces.insert(model.pieces.end(), kPieces.begin(), kPieces.end());
    model.add_dummy_prefix = false;
    return ParseTiny(model);
  }

  // The same pieces, as a .model file and as a tokenizer.json.
  std::vector<std::shared_ptr<const Tokenizer>> Unigrams() {
    auto vocab = nlohmann::json::array();
    for (const char* special : {"<unk>", "<s>", "</s>"}) {
      vocab.push_back(nlohmann::json::array({special, 0.0}));
    }
    for (const TinyPiece& piece : kPieces) {
      vocab.push_back(
          nlohmann::json::array({std::string(piece.text), piece.score}));
    }
    folder_.Write(
        "t.json",
        nlohmann::json{
            {"version", "1.0"},
            {"model",
             {{"type", "Unigram"}, {"unk_id", 0}, {"vocab", std::move(vocab)}}}}
            .dump());
    const auto json = LoadTokenizer(LocalFiles(), folder_ / "t.json");
    EXPECT_OK(json);
    return {SentencePieceOf(SentencePieceModel::Type::kUnigram), *json};
  }

  struct Memory {
    long peak_mib, behind_mib;
  };
  // Of a process that encodes that many characters in one part, at its peak and
  // behind them.
  static Memory MemoryOf(const Tokenizer& tokenizer, size_t characters) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      {
        const std::string text(characters, '1');
        std::vector<TokenId> ids;
        if (!tokenizer.Encode(text, {}, ids).ok()) _exit(1);
      }
      malloc_trim(0);  // what is free is not held by who gave it back
      long pages = 0, resident = 0;
      std::ifstream("/proc/self/statm") >> pages >> resident;
      // What is held counts though little of it may be resident, by chance.
      const struct mallinfo2 held = mallinfo2();
      const long behind = (resident * sysconf(_SC_PAGESIZE) +
                           static_cast<long>(held.uordblks + held.hblkhd)) >>
                          20;
      _exit(write(ends[1], &behind, sizeof behind) == sizeof behind ? 0 : 1);
    }
    Memory memory = {};
    EXPECT_EQ(read(ends[0], &memory.behind_mib, sizeof(long)),
              ssize_t{sizeof(long)});
    close(ends[0]);
    close(ends[1]);
    int status = 0;
    rusage usage = {};
    EXPECT_EQ(wait4(child, &status, 0, &usage), child);
    EXPECT_EQ(status, 0);
    memory.peak_mib = usage.ru_maxrss >> 10;
    return memory;
  }

  ScratchFolder folder_;
};

TEST_F(LongTextTest, TheBestPathIsFoundHoweverLittleOfItIsHeld) {
  std::vector<std::string> texts = {std::string(100'000, '1'),
                                    std::string(99'999, '1') + "2"};
  std::mt19937 random(3);
  for (const int kinds : {2, 4, 5}) {
    const std::string_view parts[] = {"1", "11111", "2", "é", "x"};
    std::string text;
    while (text.size() < 150'000) text += parts[random() % kinds];
    texts.push_back(text);
    // Runs around the number of endings that are held.
    text.clear();
    for (const size_t run : {32'760, 32'768, 32'769, 65'536, 7}) {
      text.append(parts[random() % kinds]).append(run, '1');
    }
    texts.push_back(text);
  }
  for (const auto& tokenizer : Unigrams()) {
    for (size_t i = 0; i < texts.size(); i += testing::kCaseStride) {
      const std::string& text = texts[i];
      std::vector<TokenId> ids;
      ASSERT_OK(tokenizer->Encode(text, {}, ids));
      EXPECT_TRUE(ids == BestPath(text))
          << tokenizer->Describe() << ": " << text.substr(0, 20);
    }
  }
}

TEST_F(LongTextTest, AByteTakesLessThanTenBytesOfMemoryAndGivesThemBack) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold freed memory";
#endif
  constexpr long kMib = 16;
  for (const auto& tokenizer : Unigrams()) {
    // Of that, one is the text, one its copy, two or four are the ids.
    const Memory without = MemoryOf(*tokenizer, 0);
    const Memory memory = MemoryOf(*tokenizer, kMib << 20);
    EXPECT_LT(memory.peak_mib - without.peak_mib, 10 * kMib)
        << tokenizer->Describe();
    EXPECT_LT(memory.behind_mib - without.behind_mib, 8)
        << tokenizer->Describe();
  }
}

// Merging needs all of a part at once.
TEST_F(LongTextTest, ACharacterOfBpeTakes68BytesOfMemoryWhileItIsMerged) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers hold freed memory";
#endif
  const auto tokenizer = SentencePieceOf(SentencePieceModel::Type::kBpe);
  const Memory without = MemoryOf(*tokenizer, 0);
  constexpr long kMib = 4;
  // The order of merges has the more room to spare, the closer above a power
  // of two.
  for (const size_t characters : {(kMib << 20) - 1, (kMib << 20) + 1}) {
    const Memory memory = MemoryOf(*tokenizer, characters);
    // The text, its copy, and twice ids for three ones each, in vectors that
    // grow.
    constexpr long kAround = 10 * kMib;
    EXPECT_LT(memory.peak_mib - without.peak_mib, 68 * kMib + kAround);
    EXPECT_LT(memory.behind_mib - without.behind_mib, 8);
  }
}

}  // namespace
}  // namespace penstock
