// A decoder for the records of each source.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/build/decode.h"
#include "pipeline/build/rows.h"
#include "pipeline/graph/sources.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Threads: any number at a time.
class SourceDecoders {
 public:
  // Sources that are decoded alike share a decoder.
  static StatusOr<SourceDecoders> Create(const Stages& stages,
                                         const Sources& data, uint64_t dataset);

  // As Decoder does, each record by the decoder of its source.
  // Cost:    where sources are decoded in different ways, a copy of the rows.
  Status Decode(std::span<const std::string_view> records,
                std::span<const uint64_t> ids, uint64_t epoch,
                const Locate& locate, DecodeScratch& scratch,
                DecodedRows& out) const;

  bool KeepsBytes() const {
    return std::ranges::all_of(decoders_, &Decoder::KeepsBytes);
  }
  uint64_t WorkBytes(uint64_t raw_bytes, uint64_t records) const;
  uint64_t RowBytes(int64_t length) const;

 private:
  SourceDecoders() = default;

  // The decoder of a record.
  size_t Of(uint64_t record_id) const;

  std::vector<Decoder> decoders_;
  // Of runs of sources that are decoded alike: the first id behind each, and
  // its decoder.
  std::vector<uint64_t> ends_;
  std::vector<size_t> decoder_of_;
};

}  // namespace penstock
