#include "pipeline/run/choice.h"

#include <fmt/format.h>

namespace penstock {

Choice Choose(const Stages& stages, const Source& source, bool force_streamed) {
  if (force_streamed) return {false, "asked for by force_streamed"};
  if (source.indexed == nullptr) return {false, source.why_sequential};
  if (stages.by().empty()) {
    return {true, "every file has an index, and no tensor varies in length"};
  }
  if (stages.tokenize && stages.tokenize->options.to == stages.by()) {
    return {false,
            fmt::format("Tokenize makes \"{}\", so its lengths are known only "
                        "after reading; tokenize ahead with datagen to plan",
                        stages.by())};
  }
  if (!source.indexed->HasLengths(stages.by())) {
    return {false, fmt::format("not every index has a column of lengths called "
                               "\"{}\"; datagen and `recordtool index "
                               "--length-of` write one",
                               stages.by())};
  }
  return {true, fmt::format("every file has an index with the lengths of "
                            "\"{}\"",
                            stages.by())};
}

}  // namespace penstock
