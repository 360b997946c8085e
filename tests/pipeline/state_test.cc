#include "pipeline/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/files/file.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

State Example() {
  return {.fingerprint = 0xfedcba9876543210,
          .epoch = 3,
          .step = 12345678901,
          .step_in_epoch = 17,
          .positions_read = 99,
          .pending = {1, 5, 98}};
}

TEST(StateTextTest, EveryMemberSurvivesATrip) {
  ASSERT_OK_AND_ASSIGN(const State state, ParseState(FormatState(Example())));
  EXPECT_EQ(state, Example());
}

TEST(StateTextTest, NoChangedByteGoesUnnoticed) {
  const std::string text = FormatState(Example());
  for (size_t i = 0; i + 1 < text.size(); ++i) {  // not the last line end
    for (const char with : {'0', '1', ' ', '"'}) {
      std::string damaged = text;
      if (damaged[i] == with) continue;
      damaged[i] = with;
      const auto state = ParseState(damaged);
      if (state.ok()) {
        EXPECT_EQ(*state, Example()) << damaged;
        continue;
      }
      EXPECT_THAT(state.status().code(),
                  AnyOf(StatusCode::kDataLoss, StatusCode::kUnimplemented))
          << damaged;
    }
  }
}

TEST(StateTextTest, NoCutTextIsAState) {
  const std::string text = FormatState(Example());
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_THAT(ParseState(text.substr(0, size)),
                StatusIs(StatusCode::kDataLoss, HasSubstr("state")));
  }
}

TEST(StateTextTest, ALaterVersionIsNotGuessedAt) {
  std::string text = FormatState(Example());
  text.replace(text.find(":1,"), 3, ":2,");
  EXPECT_THAT(ParseState(text),
              StatusIs(StatusCode::kUnimplemented, HasSubstr("version 2")));
}

TEST(StateFileTest, FilesKeepStatesAndErrorsNameThem) {
  const ScratchFolder folder;
  const std::string path = folder / "run.state";
  EXPECT_OK(SaveState(LocalFiles(), path, Example()));
  ASSERT_OK_AND_ASSIGN(const State state, LoadState(LocalFiles(), path));
  EXPECT_EQ(state, Example());
  EXPECT_THAT(LoadState(LocalFiles(), folder / "none.state"),
              StatusIs(StatusCode::kNotFound, HasSubstr("none.state")));
  folder.Write("run.state", "{\"penstock_state\":1}");
  EXPECT_THAT(
      LoadState(LocalFiles(), path),
      StatusIs(StatusCode::kDataLoss,
               AllOf(HasSubstr("run.state"), HasSubstr("damaged state"))));
}

}  // namespace
}  // namespace penstock::testing
