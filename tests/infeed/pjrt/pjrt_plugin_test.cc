// What a user is told of plugins that cannot be used.
#include "infeed/pjrt/pjrt_plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "infeed/pjrt/pjrt_devices.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/status_matchers.h"

namespace penstock {
namespace {

using ::penstock::testing::kInvalid;
using ::penstock::testing::ScratchFolder;
using ::penstock::testing::StatusIs;
using ::testing::AllOf;
using ::testing::HasSubstr;

// The plugin that is wrong in this way.
Status Opened(const std::string& fault) {
  return OpenPjrt(WRONG_PLUGINS + fault + ".so").status();
}

TEST(PjrtPluginTest, AFileThatIsNotThereSaysWhatFetchesOne) {
  EXPECT_THAT(OpenPjrt("/no/such/plugin.so").status(),
              StatusIs(StatusCode::kNotFound,
                       AllOf(HasSubstr("/no/such/plugin.so: no PJRT plugin"),
                             HasSubstr("tools/setup --pjrt"))));
}

TEST(PjrtPluginTest, AFileThatIsNoSharedObjectIsNamed) {
  const ScratchFolder folder;
  EXPECT_THAT(OpenPjrt(folder.Write("words.so", "words")).status(),
              StatusIs(kInvalid, AllOf(HasSubstr("cannot be loaded"),
                                       HasSubstr("words.so"))));
}

TEST(PjrtPluginTest, ASharedObjectWithoutTheSymbolIsNoPlugin) {
  EXPECT_THAT(Opened("NO_SYMBOL"),
              StatusIs(kInvalid, HasSubstr("no function GetPjrtApi")));
  EXPECT_THAT(Opened("NO_API"), StatusIs(StatusCode::kFailedPrecondition,
                                         HasSubstr("gives nothing")));
}

TEST(PjrtPluginTest, AnotherMajorVersionIsRefused) {
  EXPECT_THAT(Opened("OTHER_MAJOR"),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("speaks PJRT 1."),
                             HasSubstr("take a plugin of major version 0"))));
}

TEST(PjrtPluginTest, APluginThatLacksWhatIsCalledIsTooOld) {
  EXPECT_THAT(Opened("TOO_OLD"),
              StatusIs(StatusCode::kFailedPrecondition,
                       AllOf(HasSubstr("is too old"),
                             HasSubstr("take a newer plugin"))));
}

TEST(PjrtPluginTest, ThePluginsOwnWordsAndCodeAreTold) {
  EXPECT_THAT(Opened("NO_START"), StatusIs(StatusCode::kUnavailable,
                                           AllOf(HasSubstr("did not start"),
                                                 HasSubstr("no driver"))));
  EXPECT_THAT(Opened("IN_USE"),
              StatusIs(StatusCode::kUnavailable,
                       AllOf(HasSubstr("held by process 4711"),
                             HasSubstr("end that one or take another"))));
}

}  // namespace
}  // namespace penstock
