#include "tokenizer/interface/encoding_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

size_t AddedTokenCount(const std::vector<FramePiece>& pieces) {
  return std::count_if(pieces.begin(), pieces.end(), [](const auto& piece) {
    return piece.kind == FramePiece::Kind::kToken;
  });
}

std::optional<Affixes> AffixesOf(const EncodingFrame& frame) {
  if (frame.truncation || frame.padding) return std::nullopt;
  Affixes affixes;
  bool text_seen = false;
  for (const FramePiece& piece : frame.single) {
    if (piece.kind == FramePiece::Kind::kToken) {
      (text_seen ? affixes.after : affixes.before).push_back(piece.id);
    } else if (std::exchange(text_seen, true)) {
      return std::nullopt;
    }
  }
  if (!text_seen) return std::nullopt;
  return affixes;
}

StatusOr<size_t> LengthForTexts(const Truncation& truncation,
                                const std::vector<FramePiece>& pieces,
                                bool add_special_tokens) {
  const size_t added = add_special_tokens ? AddedTokenCount(pieces) : 0;
  if (truncation.max_length >= added) return truncation.max_length - added;
  return InvalidArgumentError(
      fmt::format("a max_length of {} has no room for the {} tokens around",
                  truncation.max_length, added));
}

StatusOr<TextLengths> TruncatedLengths(const Truncation& truncation,
                                       size_t max_length, size_t first,
                                       std::optional<size_t> second) {
  const size_t total = first + second.value_or(0);
  if (total <= max_length) return TextLengths{first, second.value_or(0)};
  if (max_length == 0) return TextLengths{0, 0};
  const size_t excess = total - max_length;
  if (truncation.strategy == TruncationStrategy::kLongestFirst) {
    if (!second) return TextLengths{max_length, 0};
    // The shorter stays whole, unless both are longer than half.
    const size_t half = max_length / 2;
    const size_t shorter = std::min(first, *second);
    const bool first_is_longer = first > *second;
    const size_t small = std::min(shorter, half);
    const size_t large = max_length - small;
    return first_is_longer ? TextLengths{large, small}
                           : TextLengths{small, large};
  }
  const bool cuts_first = truncation.strategy == TruncationStrategy::kOnlyFirst;
  if (!cuts_first && !second) {
    return InvalidArgumentError(fmt::format(
        "{} tokens are more than the {} there is room for, and the strategy "
        "only cuts the second of two texts",
        total, max_length));
  }
  const size_t cut = cuts_first ? first : *second;
  if (cut <= excess) {
    return InvalidArgumentError(fmt::format(
        "the texts have {} tokens too many, but the {} one, which alone may be "
        "cut, has only {}",
        excess, cuts_first ? "first" : "second", cut));
  }
  return cuts_first ? TextLengths{first - excess, second.value_or(0)}
                    : TextLengths{first, *second - excess};
}

size_t PaddedLength(const Padding& padding, size_t longest) {
  size_t length = padding.length.value_or(longest);
  if (padding.multiple_of > 0) {
    length = (length + padding.multiple_of - 1) / padding.multiple_of *
             padding.multiple_of;
  }
  return length;
}

StatusOr<std::vector<TokenId>> FrameIds(const EncodingFrame& frame,
                                        bool add_special_tokens,
                                        std::vector<TokenId> bare) {
  if (frame.truncation) {
    PENSTOCK_ASSIGN_OR_RETURN(
        const size_t max_length,
        LengthForTexts(*frame.truncation, frame.single, add_special_tokens));
    PENSTOCK_ASSIGN_OR_RETURN(
        const TextLengths kept,
        TruncatedLengths(*frame.truncation, max_length, bare.size(), {}));
    if (frame.truncation->direction == Edge::kLeft) {
      bare.erase(bare.begin(), bare.end() - kept.first);
    } else {
      bare.resize(kept.first);
    }
  }
  std::vector<TokenId> ids;
  for (const FramePiece& piece : frame.single) {
    if (piece.kind != FramePiece::Kind::kToken) {
      ids.insert(ids.end(), bare.begin(), bare.end());
    } else if (add_special_tokens) {
      ids.push_back(piece.id);
    }
  }
  if (!frame.padding) return ids;
  const size_t length = PaddedLength(*frame.padding, ids.size());
  if (ids.size() >= length) return ids;
  ids.insert(frame.padding->direction == Edge::kRight ? ids.end() : ids.begin(),
             length - ids.size(), frame.padding->id);
  return ids;
}

void AddToFingerprint(const EncodingFrame& frame, Fingerprinter& print) {
  for (const auto* pieces : {&frame.single, &frame.pair}) {
    print.Add(uint64_t{pieces->size()});
    for (const FramePiece& piece : *pieces) {
      print.Add(static_cast<uint64_t>(piece.kind))
          .Add(uint64_t{piece.type_id} << 32 | piece.id);
    }
  }
  if (frame.truncation) {
    print.Add("truncation")
        .Add(uint64_t{frame.truncation->max_length})
        .Add(static_cast<uint64_t>(frame.truncation->direction))
        .Add(static_cast<uint64_t>(frame.truncation->strategy));
  }
  if (frame.padding) {
    print.Add("padding")
        .Add(uint64_t{frame.padding->length.value_or(0)})
        .Add(uint64_t{frame.padding->multiple_of})
        .Add(static_cast<uint64_t>(frame.padding->direction))
        .Add(uint64_t{frame.padding->id});
  }
}

}  // namespace penstock
