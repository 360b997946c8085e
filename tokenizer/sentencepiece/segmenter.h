// Normalized text -> pieces: the interface behind which SentencePiece's four
// models stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "formats/files/status.h"
#include "tokenizer/bpe/piece_sink.h"
#include "tokenizer/interface/sampling.h"
#include "tokenizer/vocabulary/draws.h"
#include "tokenizer/vocabulary/stored_tables.h"

namespace penstock {

struct SegmentedPiece {
  std::string_view text;
  int32_t id;  // PieceTrie::kNoPiece: unknown
};

// Threads: any number at a time.
class Segmenter {
 public:
  // What one call works with and leaves for the next.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~Segmenter() = default;

  // Its kind, and what that one's constructor makes it of again.
  enum class Kind : uint64_t {
    kFloatUnigram,
    kDoubleUnigram,
    kBpe,
    kWord,
    kChar
  };
  virtual void Save(TableWriter& to) const = 0;

  virtual std::unique_ptr<Scratch> NewScratch() const {
    return std::make_unique<Scratch>();
  }

  // Gives back what it learned of texts. Waits for calls that look at it.
  virtual void ForgetTexts() const {}

  // Gives the pieces that make up `text` to `sink`, in order. `text` is of
  // less than 4 GiB and has TextBuffer::kSlack bytes after it; `scratch` is
  // from NewScratch and in no other call.
  virtual void Segment(std::string_view text, Scratch& scratch,
                       PieceSink& sink) const = 0;

  // Segment, drawing one way: see sampling.h.
  // Errors:  kInvalidArgument for a bad alpha; kUnimplemented.
  virtual Status Sample(std::string_view text, const Sampling& sampling,
                        Draws& draws, Scratch& scratch, PieceSink& sink) const {
    return UnimplementedError(
        "the model knows one way to segment a text "
        "only; unigram and BPE can be sampled from");
  }

  // A way to segment a text.
  struct Way {
    std::vector<SegmentedPiece> pieces;
    float score;
  };
  // The `count` best ways.
  // Errors:  kUnimplemented.
  virtual Status Best(std::string_view text, size_t count,
                      std::vector<Way>& ways) const {
    return UnimplementedError(
        "the model has no n best ways to segment a text; unigram has");
  }
};

}  // namespace penstock
