// The options of programs that may skip damage in what they read.
#pragma once

#include <cstdint>

#include "formats/files/status.h"
#include "formats/records/recovery.h"
#include "tools/arguments/argument_group.h"
#include "tools/programs/skipped_report.h"

namespace penstock {

struct RecoverySettings {
  OnCorruption on_corruption = OnCorruption::kFail;
  bool leave_out_bad_input = false;
  uint64_t max_skipped = 0;  // places; 0 for any number
  double max_skipped_share = 1;

  // --on-corruption and --max-skipped; `scope` ends the latter's help, as in
  // "More places skipped in an epoch are an error". With `bad_input` also
  // --on-bad-input and --max-skipped-share. This must outlive `group`.
  void AddTo(ArgumentGroup& group, const char* scope, bool bad_input = false);

  // Errors:  kInvalidArgument for limits where nothing may be skipped.
  Status Check() const;

  // What readers are given: `report`, which must outlive them, is told.
  RecoveryOptions ToOptions(SkippedReport& report) const;
};

}  // namespace penstock
