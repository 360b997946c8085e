#include "tools/programs/recovery_settings.h"

#include <fmt/format.h>

#include <memory>

namespace penstock {

void RecoverySettings::AddTo(ArgumentGroup& group, const char* scope,
                             bool bad_input) {
  group.Choice("--on-corruption", on_corruption,
               {{"fail", OnCorruption::kFail},
                {"skip", OnCorruption::kSkip},
                {"resync", OnCorruption::kResync}},
               "What to do about damage: fail, skip a record whose data is "
               "wrong, or resync to the next record; the last two read in "
               "sequence");
  if (bad_input) {
    group.Choice("--on-bad-input", leave_out_bad_input,
                 {{"fail", false}, {"skip", true}},
                 "What to do about a line, row, document, member or file that "
                 "cannot be read: fail, or skip it, from the bad place on");
  }
  Argument& max = group.Number(
      "--max-skipped", max_skipped, "N",
      fmt::format("More places skipped in {} are an error; 0 is any number",
                  scope));
  if (!bad_input) {
    max.Needs("--on-corruption");
    return;
  }
  group
      .Number("--max-skipped-share", max_skipped_share, "PART",
              "So is more than this part of all documents and places skipped")
      .Between(0, 1);
}

Status RecoverySettings::Check() const {
  const bool limited = max_skipped > 0 || max_skipped_share < 1;
  if (!limited || leave_out_bad_input || on_corruption != OnCorruption::kFail) {
    return OkStatus();
  }
  return InvalidArgumentError(
      "--max-skipped and --max-skipped-share need --on-bad-input skip, or "
      "--on-corruption: nothing is skipped otherwise");
}

RecoveryOptions RecoverySettings::ToOptions(SkippedReport& report) const {
  RecoveryOptions options = {
      .on_corruption = on_corruption,
      .on_skipped = [&report](const SkippedRegion& region) {
        report.Add(region);
      }};
  if (max_skipped > 0) {
    options.total =
        std::make_shared<SkipBudget>(SkipLimit{.regions = max_skipped});
  }
  return options;
}

}  // namespace penstock
