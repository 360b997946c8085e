// What a thread has of its own where HfBpe encodes parts. Private to it.
#pragma once

#include <cstddef>
#include <vector>

#include "tokenizer/interface/text_buffer.h"
#include "tokenizer/models/hf_bpe.h"

namespace penstock {

struct HfBpe::Scratch {
  explicit Scratch(SharedParts& known) : reader(known.readers) {}

  Readers::Reader reader;
  Inserter inserter{reader};
  Inserter long_inserter{reader};
  TextBuffer text;
  std::vector<Symbol> symbols;
  std::vector<TokenId> ids;  // of a new part
  UnknownRule no_rule;

  // Keeps of a long text no more than this for the next.
  static constexpr size_t kKeptBytes = size_t{1} << 20;
  void GiveBackLong() {
    if (text.size() > kKeptBytes) text = TextBuffer();
    if (symbols.capacity() > kKeptBytes / sizeof(Symbol)) {
      symbols = std::vector<Symbol>();
      ids = std::vector<TokenId>();
    }
  }
};

}  // namespace penstock
