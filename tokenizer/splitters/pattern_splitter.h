// Cuts pieces by a pattern: the Split of a tokenizer.json.
#pragma once

#include <memory>
#include <utility>

#include "tokenizer/regex/delimiters.h"
#include "tokenizer/regex/text_pattern.h"
#include "tokenizer/splitters/splitter.h"

namespace penstock {

struct PatternSplitterOptions {
  Delimiters delimiters = Delimiters::kIsolated;
  // Takes what is between the matches for the matches.
  bool invert = false;
  // The pattern is U+0020.
  bool at_spaces = false;
  // No match has a U+0020, nor depends on what is around it.
  bool stops_at_spaces = false;
};

class PatternSplitter final : public Splitter {
 public:
  PatternSplitter(std::unique_ptr<const TextPattern> pattern,
                  PatternSplitterOptions options)
      : pattern_(std::move(pattern)), options_(options) {}

  Status Cut(Pieces& pieces) const override;
  // Where matches alone remain.
  bool CutsAtSpaces() const override {
    return options_.stops_at_spaces && options_.invert &&
           options_.delimiters == Delimiters::kRemoved;
  }
  bool CutsAtSpacesAlone() const override {
    return options_.at_spaces && !options_.invert;
  }
  // Each is matched by itself.
  uint32_t SpaceInside(uint32_t space) const override {
    return CutsAtSpacesAlone() ? space : 0;
  }

 private:
  const std::unique_ptr<const TextPattern> pattern_;
  const PatternSplitterOptions options_;
};

}  // namespace penstock
