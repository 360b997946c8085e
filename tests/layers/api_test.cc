// The front door: docs/api.md is the list of what is public.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/layers/source_tree.h"

namespace penstock::testing {
namespace {

using ::testing::IsEmpty;

constexpr size_t kMostPublicHeaders = 119;

std::set<std::string> PublicSet() {
  const std::vector<std::string> list = PublicHeaders();
  return {list.begin(), list.end()};
}

TEST(ApiTest, EveryHeaderOfTheListIsThereOnce) {
  const std::vector<std::string> list = PublicHeaders();
  ASSERT_GT(list.size(), 20u) << "docs/api.md was not found";
  EXPECT_LE(list.size(), kMostPublicHeaders);
  EXPECT_EQ(PublicSet().size(), list.size()) << "a header is listed twice";
  std::vector<std::string> wrong;
  for (const std::string& header : list) {
    if (!Includes().contains(header)) {
      wrong.push_back("docs/api.md lists " + header + ", which is gone");
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(ApiTest, APublicHeaderIncludesOnlyPublicOnes) {
  const std::set<std::string> is_public = PublicSet();
  std::vector<std::string> wrong;
  for (const std::string& header : is_public) {
    const auto found = Includes().find(header);
    if (found == Includes().end()) continue;
    for (const std::string& included : found->second) {
      if (!is_public.contains(included)) {
        wrong.push_back(fmt::format(
            "{} is public and includes {}, which is not: declare what it "
            "needs, or list that header in docs/api.md",
            header, included));
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

TEST(ApiTest, AFloorIncludesOnlyPublicHeadersOfOtherFloors) {
  const std::set<std::string> is_public = PublicSet();
  std::vector<std::string> wrong;
  for (const auto& [file, list] : Includes()) {
    for (const std::string& included : list) {
      if (FloorOf(included) != FloorOf(file) && !is_public.contains(included)) {
        wrong.push_back(fmt::format(
            "{} includes {}, which is private to {}/: use a public header of "
            "that floor, or list this one in docs/api.md",
            file, included, FloorOf(included)));
      }
    }
  }
  EXPECT_THAT(wrong, IsEmpty());
}

}  // namespace
}  // namespace penstock::testing
