// The options of programs that read corpora: what the files are, where in them
// the text is, and what to do about those that are bad.
#pragma once

#include <string>

#include "formats/files/status_or.h"
#include "tools/arguments/argument_group.h"
#include "tools/programs/document_chunks.h"
#include "tools/programs/recovery_settings.h"
#include "tools/programs/skipped_report.h"

namespace penstock {

class CorpusOptions {
 public:
  // What the files are and which of them are read goes to `input`, what of them
  // is text to `text`, which may be the same group. This must outlive them.
  void AddTo(ArgumentGroup& input, ArgumentGroup& text);

  // What readers are given: `report`, which must outlive them, is told.
  // Errors:  kInvalidArgument for limits of what nothing may be skipped of.
  StatusOr<Corpus> ToCorpus(SkippedReport& report) const;

 private:
  void AddText(ArgumentGroup& text);
  void AddLimits(ArgumentGroup& input);

  Corpus corpus_;
  std::string csv_delimiter_;
  RecoverySettings recovery_;
};

}  // namespace penstock
