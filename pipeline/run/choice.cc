#include "pipeline/run/choice.h"

#include <fmt/format.h>

namespace penstock {

Choice Choose(const Stages& stages, const Sources& sources,
              bool force_streamed) {
  if (force_streamed) return {false, "asked for by force_streamed"};
  if (const std::string filter = FirstFilter(stages); !filter.empty()) {
    return {false, fmt::format("Filter \"{}\" leaves out rows that are known "
                               "only after reading",
                               filter)};
  }
  if (sources.indexed == nullptr) {
    return {false, sources.each.front().why_sequential};
  }
  if (stages.by().empty()) {
    return {true, "every file has an index, and no tensor varies in length"};
  }
  if (const std::string map = ChangesLengths(stages); !map.empty()) {
    return {false, fmt::format("Map \"{}\" may change how many values \"{}\" "
                               "has, so its lengths are known only after "
                               "reading",
                               map, stages.by())};
  }
  const std::string column = stages.length_column();
  for (const SourceStages& source : stages.sources) {
    if (!source.tokenize || source.tokenize->options.to != stages.by()) {
      continue;
    }
    return {false,
            fmt::format("Tokenize makes \"{}\", so its lengths are known only "
                        "after reading; tokenize ahead with datagen to plan",
                        stages.by())};
  }
  if (column.empty()) {
    return {false, fmt::format("\"{}\" is no one feature of all records, so "
                               "no index has its lengths",
                               stages.by())};
  }
  if (!sources.indexed->HasLengths(column)) {
    return {false, fmt::format("not every index has a column of lengths called "
                               "\"{}\"; datagen and `recordtool index "
                               "--length-of` write one",
                               column)};
  }
  return {true, fmt::format("every file has an index with the lengths of "
                            "\"{}\"",
                            stages.by())};
}

}  // namespace penstock
