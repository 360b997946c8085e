// What the threads of Tokenizer::EncodeBatch take one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "tokenizer/interface/encoding_frame.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {

// A text, or a part of one that is long and can be cut.
struct TextPart {
  std::string_view bytes;
  size_t text = 0;  // its number
  bool begins = true, ends = true;

  bool is_whole() const { return begins && ends; }
};

// The parts of all texts in their order, and how they are encoded.
//
// Threads: any number at a time, once made.
class BatchParts {
 public:
  // What a thread takes at a time, half of it at least: some 0.1 ms of work.
  static constexpr size_t kJobBytes = 32 << 10;

  // All must outlive this.
  BatchParts(const Tokenizer& tokenizer,
             std::span<const std::string_view> texts, EncodeOptions options);

  size_t jobs() const { return job_ends_.size(); }
  std::span<const TextPart> OfJob(size_t job) const;
  // All jobs, in the order in which they are best taken: what cannot be cut and
  // is long comes first, or one thread would be alone with it in the end.
  std::vector<size_t> LongestFirst() const;
  // Appends the part's ids: those of a text's parts are the text's.
  // Errors:  those of Encode, offsets being those in the part.
  Status Encode(const TextPart& part, std::vector<TokenId>& ids) const;

 private:
  void Cut(std::string_view text, size_t number);

  const Tokenizer& tokenizer_;
  const EncodeOptions options_;
  std::optional<Affixes> affixes_;  // null: no text can be cut
  std::vector<TextPart> parts_;
  std::vector<size_t> job_ends_;  // among parts_
};

// Room for the ids of all texts, as soon as some of them tell how many there
// will be: growing by doubling copies them and touches twice the memory.
class RoomForIds {
 public:
  RoomForIds(std::span<const std::string_view> texts,
             std::vector<TokenId>& ids);
  // To be called when `ids` got those of the next `bytes` bytes.
  void Encoded(size_t bytes);

 private:
  static constexpr size_t kFirstLook = 64 << 10;

  std::vector<TokenId>& ids_;
  const size_t first_;  // ids before
  size_t all_bytes_ = 0;
  size_t done_bytes_ = 0;
  size_t look_at_ = kFirstLook;
};

}  // namespace penstock
