// Cuts normalized text into the pieces that the model then works on, one at a
// time; may also rewrite them. The pre_tokenizer of a tokenizer.json.
//
// Implementations form a star around this header: character_splitters,
// pattern_splitter, metaspace_splitter, byte_level_splitter.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/splitters/pieces.h"

namespace penstock {

// Threads: any number at a time.
class Splitter {
 public:
  virtual ~Splitter() = default;

  // Errors:  those of TextPattern::Find, for a splitter that has a pattern;
  //          kResourceExhausted beyond EditableBytes of aligned_text.h.
  Status Split(Pieces& pieces) const;

  // Whether the pieces of what stands before a U+0020 and of what begins with
  // it are the same apart as together.
  virtual bool CutsAtSpaces() const { return false; }
  // A character of which that holds, too.
  virtual uint32_t OtherSpace() const { return ' '; }
  // What becomes of `space` before which text is cut, where no other piece is
  // another for it: only what stands on both sides was one piece. 0: more may
  // be other.
  virtual uint32_t SpaceInside(uint32_t /*space*/) const { return 0; }

  // Whether text without a U+0020 is one piece, as it stands.
  virtual bool CutsAtSpacesAlone() const { return false; }

  // Whether White_Space and each character of BERT's punctuation end the pieces
  // on both sides of them, wherever they stand.
  virtual bool CutsAtPunctuation() const { return false; }

  // Whether the pieces depend on where in the user's text they come from, so
  // that alignment must be kept. `is_edited`: the text may have been edited
  // before, or is a part of one; else it still knows where it stands.
  virtual bool NeedsAlignment(bool /*is_edited*/) const { return false; }

 protected:
  // Errors:  those of TextPattern::Find.
  virtual Status Cut(Pieces& pieces) const = 0;
};

// One after the other.
class SplitterSequence final : public Splitter {
 public:
  explicit SplitterSequence(std::vector<std::unique_ptr<const Splitter>> steps)
      : steps_(std::move(steps)) {}

  // All but the first are given pieces that no longer know their text, unless
  // they ask where it began.
  bool CutsAtSpaces() const override {
    return !steps_.empty() && steps_[0]->CutsAtSpaces() &&
           std::none_of(steps_.begin() + 1, steps_.end(), [](const auto& step) {
             return step->NeedsAlignment(/*is_edited=*/true);
           });
  }
  bool NeedsAlignment(bool is_edited) const override {
    return std::any_of(steps_.begin(), steps_.end(), [&](const auto& step) {
      const bool is_first = step == steps_.front();
      return step->NeedsAlignment(is_edited || !is_first);
    });
  }

 private:
  Status Cut(Pieces& pieces) const override;

  const std::vector<std::unique_ptr<const Splitter>> steps_;
};

}  // namespace penstock
