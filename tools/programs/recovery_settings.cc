#include "tools/programs/recovery_settings.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

namespace penstock {

void RecoverySettings::AddTo(CLI::App& app, const char* scope) {
  CLI::Option* const policy =
      app.add_option("--on-corruption", on_corruption,
                     "What to do about damage: fail, skip a record whose data "
                     "is wrong, or resync to the next record (default: fail; "
                     "the others read in sequence)")
          ->transform(
              CLI::CheckedTransformer(std::map<std::string, OnCorruption>{
                  {"fail", OnCorruption::kFail},
                  {"skip", OnCorruption::kSkip},
                  {"resync", OnCorruption::kResync}}));
  app.add_option("--max-skipped", max_skipped,
                 fmt::format("More places skipped in {} are an error (0: any "
                             "number)",
                             scope))
      ->needs(policy);
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
