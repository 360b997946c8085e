// Spaces become a visible character, most often U+2581, and pieces begin there.
#pragma once

#include <cstdint>

#include "tokenizer/splitters/splitter.h"

namespace penstock {

// Which pieces get the replacement put before them, unless they begin with it.
enum class PrependScheme {
  kAlways,
  kFirst,  // only one that begins where the user's text begins
  kNever,
};

struct MetaspaceOptions {
  uint32_t replacement = 0x2581;
  PrependScheme prepend = PrependScheme::kAlways;
  // Without it spaces are only replaced.
  bool split = true;
};

class MetaspaceSplitter final : public Splitter {
 public:
  explicit MetaspaceSplitter(MetaspaceOptions options) : options_(options) {}

  Status Cut(Pieces& pieces) const override;
  // Nothing is put before what begins with one.
  bool CutsAtSpaces() const override { return options_.split; }
  uint32_t OtherSpace() const override { return options_.replacement; }
  uint32_t SpaceInside(uint32_t space) const override {
    const bool is_one = space == ' ' || space == options_.replacement;
    return is_one && !options_.split ? options_.replacement : 0;
  }
  bool NeedsAlignment(bool is_edited) const override {
    return is_edited && options_.prepend == PrependScheme::kFirst;
  }

 private:
  bool IsPrepended(const Pieces& pieces, Piece piece) const;
  void ReplaceAll(Pieces& pieces) const;

  const MetaspaceOptions options_;
};

}  // namespace penstock
