// Normalized text -> pieces: the interface behind which SentencePiece's four
// models stand.
#pragma once

#include <memory>
#include <string_view>

#include "tokenizer/piece_sink.h"

namespace penstock {

// Threads: any number at a time.
class Segmenter {
 public:
  // What one call works with and leaves for the next.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~Segmenter() = default;

  virtual std::unique_ptr<Scratch> NewScratch() const = 0;

  // Gives the pieces that make up `text` to `sink`, in order. `text` is of
  // less than 4 GiB and has TextBuffer::kSlack bytes after it; `scratch` is
  // from NewScratch and in no other call.
  virtual void Segment(std::string_view text, Scratch& scratch,
                       PieceSink& sink) const = 0;
};

}  // namespace penstock
