#include "tokenizer/vocabulary/token_search.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "tests/support/effort.h"

namespace penstock {
namespace {

std::string DrawnBytes(std::mt19937& random, size_t most) {
  std::string bytes(1 + random() % most, '\0');
  for (char& byte : bytes) byte = static_cast<char>('a' + random() % 4);
  return bytes;
}

TEST(TokenSearchTest, FindsWhatTheVocabularyFinds) {
  std::mt19937 random(1);
  Vocabulary vocabulary;
  for (TokenId id = 0; id < 3000; ++id) {
    vocabulary.Add(2 * id, DrawnBytes(random, 12));
  }
  vocabulary.AddForDecoding(1, "for decoding");
  // Many look alike to the table: it has ten bits of their hash, and twelve
  // more say where they are.
  size_t found = 0;
  for (int i = 0; i < testing::Cases(1000); ++i) {
    std::vector<std::string> wanted;
    for (size_t k = 0; k < TokenSearch::kMost; ++k) {
      wanted.push_back(DrawnBytes(random, 20));
    }
    wanted[3] = "for decoding";
    TokenSearch search(vocabulary);
    for (size_t k = 0; k < wanted.size(); ++k) {
      k % 7 == 5 ? search.Skip() : search.Add(wanted[k]);
    }
    for (size_t k = 0; k < wanted.size(); ++k) {
      if (k % 7 == 5) {
        ASSERT_EQ(search.Find(k), std::nullopt);
        continue;
      }
      ASSERT_EQ(search.Find(k), vocabulary.Find(wanted[k])) << wanted[k];
      found += search.Find(k).has_value();
    }
  }
  EXPECT_GT(found, 0);
}

TEST(TokenSearchTest, FindsNothingInAnEmptyVocabulary) {
  const Vocabulary vocabulary;
  TokenSearch search(vocabulary);
  search.Add("a");
  search.Add("");
  search.Skip();
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(search.Find(i), std::nullopt);
}

}  // namespace
}  // namespace penstock
