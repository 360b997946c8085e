#include "pipeline/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/files/file.h"
#include "pipeline/state/packed_numbers.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock::testing {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

State SomeState() {
  return {.graph = {{"the data", 0xfedcba9876543210}, {"Batch", 1}},
          .epoch = 3,
          .step = 12345678901,
          .step_in_epoch = 17,
          .position = 99,
          .held = {{.record = 1},
                   {.record = 1 << 20, .begin = 7, .bin = 1},
                   {.record = 98}},
          .window_begin = 64,
          .units = {{.unit = 2, .first_record = 60}},
          .counts = {.records = 1,
                     .rows = 2,
                     .pad_rows = 3,
                     .dropped = 4,
                     .truncated = 5,
                     .forced = 6}};
}

// Of a run that has changed, with a Mix.
State ChangedState() {
  State state = SomeState();
  state.ahead = {{.record = 5, .begin = 3}, {.record = 1 << 30}};
  state.taken = {{.before = 1, .rows = 1 << 17}, {.before = 0, .rows = 9}};
  state.lineage = {{.graph = {{"Batch", 7}}, .counts = {}},
                   {.graph = state.graph,
                    .step = 12,
                    .epoch = 2,
                    .position = 5,
                    .counts = {.records = 3},
                    .taken = {{.before = 4, .rows = 6}}}};
  return state;
}

TEST(StateTextTest, ARunsLineageSurvivesATrip) {
  ASSERT_OK_AND_ASSIGN(const State state,
                       ParseState(FormatState(ChangedState())));
  EXPECT_EQ(state, ChangedState());
}

TEST(StateTextTest, NoChangedByteOfALineageGoesUnnoticed) {
  const std::string text = FormatState(ChangedState());
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = text[i] == '1' ? '2' : '1';
    const auto state = ParseState(damaged);
    if (!state.ok()) continue;
    EXPECT_EQ(*state, ChangedState()) << damaged;
  }
}

TEST(StateTextTest, EveryMemberSurvivesATrip) {
  ASSERT_OK_AND_ASSIGN(const State state, ParseState(FormatState(SomeState())));
  EXPECT_EQ(state, SomeState());
}

// As a program wrote it that knew no lineage.
TEST(StateTextTest, VersionTwoIsReadAndWrittenAsItWas) {
  const std::string text =
      R"({"penstock_state":2,"graph":{"the data":18364758544493064720,)"
      R"("Batch":1},"epoch":3,"step":12345678901,"step_in_epoch":17,)"
      R"("position":99,"held":{"count":3,"records":"3:AQAAAAAQYgAA",)"
      R"("begins":"1:AAcA","bins":"1:AAEA"},"window_begin":64,)"
      R"("units":[[2,60]],"counts":{"records":1,"rows":2,"pad_rows":3,)"
      R"("dropped":4,"truncated":5,"forced":6},)"
      R"("checksum":13355161946519085650})"
      "\n";
  ASSERT_OK_AND_ASSIGN(const State state, ParseState(text));
  EXPECT_EQ(state, SomeState());
  EXPECT_EQ(FormatState(state), text);
}

TEST(StateTextTest, NoChangedByteGoesUnnoticed) {
  const std::string text = FormatState(SomeState());
  for (size_t i = 0; i + 1 < text.size(); ++i) {  // not the last line end
    for (const char with : {'0', '1', ' ', '"'}) {
      std::string damaged = text;
      if (damaged[i] == with) continue;
      damaged[i] = with;
      const auto state = ParseState(damaged);
      if (state.ok()) {
        EXPECT_EQ(*state, SomeState()) << damaged;
        continue;
      }
      EXPECT_THAT(state.status().code(),
                  AnyOf(StatusCode::kDataLoss, StatusCode::kUnimplemented))
          << damaged;
    }
  }
}

TEST(StateTextTest, NoCutTextIsAState) {
  const std::string text = FormatState(SomeState());
  for (size_t size = 0; size + 1 < text.size(); ++size) {
    EXPECT_THAT(ParseState(text.substr(0, size)),
                StatusIs(StatusCode::kDataLoss, HasSubstr("state")));
  }
}

TEST(StateTextTest, OtherVersionsAreNotGuessedAt) {
  for (const char* version : {":1,", ":4,"}) {
    std::string text = FormatState(SomeState());
    text.replace(text.find(":2,"), 3, version);
    EXPECT_THAT(ParseState(text), StatusIs(StatusCode::kUnimplemented,
                                           HasSubstr("state of version")));
  }
}

// A batch of 1,024 rows and four lengths.
TEST(StateTextTest, ThousandsOfRowsThatWaitTakeLessThan64KiB) {
  State state = SomeState();
  std::vector<HeldPiece> held;
  for (uint64_t i = 0; i < 4 * 1023; ++i) {
    held.push_back({.record = 100'000'000 * (i * i % 31)});
  }
  state.held = std::move(held);
  const std::string text = FormatState(state);
  EXPECT_LT(text.size(), size_t{64} << 10);
  ASSERT_OK_AND_ASSIGN(const State parsed, ParseState(text));
  EXPECT_EQ(parsed, state);
}

TEST(StateFileTest, FilesKeepStatesAndErrorsNameThem) {
  const ScratchFolder folder;
  const std::string path = folder / "run.state";
  EXPECT_OK(SaveState(LocalFiles(), path, SomeState()));
  ASSERT_OK_AND_ASSIGN(const State state, LoadState(LocalFiles(), path));
  EXPECT_EQ(state, SomeState());
  EXPECT_THAT(LoadState(LocalFiles(), folder / "none.state"),
              StatusIs(StatusCode::kNotFound, HasSubstr("none.state")));
  folder.Write("run.state", "{\"penstock_state\":2}");
  EXPECT_THAT(
      LoadState(LocalFiles(), path),
      StatusIs(StatusCode::kDataLoss,
               AllOf(HasSubstr("run.state"), HasSubstr("damaged state"))));
}

// As many zeros as fit into no bytes, and more, in any list.
TEST(PackedNumbersTest, ManyZerosTakeBytes) {
  for (const uint64_t count :
       {uint64_t{0}, uint64_t{1}, kMostFreeZeros, kMostFreeZeros + 1}) {
    const std::vector<uint64_t> zeros(count);
    const std::string text = PackNumbers(zeros);
    EXPECT_EQ(text == "0:", count <= kMostFreeZeros);
    EXPECT_EQ(UnpackNumbers(text, count), zeros);
    EXPECT_EQ(UnpackNumbers(text, count, 0).has_value(),
              count == 0 || count > kMostFreeZeros);
  }
  // As states had them before, beside as many records.
  constexpr uint64_t kMore = kMostFreeZeros + 1;
  EXPECT_FALSE(UnpackNumbers("0:", kMore));
  EXPECT_TRUE(UnpackNumbers("0:", kMore, kMore));
}

}  // namespace
}  // namespace penstock::testing
