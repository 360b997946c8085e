#include "tokenizer/bpe/part_encoder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tokenizer/bpe/short_merge.h"

namespace penstock {

void PartEncoder::Encode(std::string_view piece) {
  CharCuts::Run run;
  size_t begin = 0;  // of the part that has no end yet
  size_t at = 0;
  while (at < piece.size()) {
    cuts_.Read(piece.substr(at), run);
    const size_t run_end = at + run.count * CharCuts::kCharBytes;
    if (run.count > 0 && run_end == piece.size()) {
      run.cuts |= uint64_t{1} << (run.count - 1);
    }
    TokenId* out = known_.data();
    for (uint64_t cuts = run.cuts; cuts != 0; cuts &= cuts - 1) {
      const size_t last = std::countr_zero(cuts);
      const size_t end = at + (last + 1) * CharCuts::kCharBytes;
      const size_t first_at = std::max(begin, at);
      const std::string_view part = piece.substr(begin, end - begin);
      out = part.size() == CharCuts::kCharBytes
                ? PutChar(run.chars[last], part, out)
                : PutPart({part, run, (first_at - at) / CharCuts::kCharBytes,
                           last, first_at - begin},
                          out);
      begin = end;
    }
    Flush(out);
    if (run_end == piece.size()) return;
    // The last of a full run may be cut from what follows.
    at = run.count == CharCuts::kMostRead ? run_end - CharCuts::kCharBytes
                                          : run_end + 1;
  }
  EncodeNew(piece.substr(begin), known_.data());
}

inline size_t PartEncoder::IdsOfChar(CharCuts::Char c, std::string_view text,
                                     TokenId* out) {
  const size_t known = memory_.chars.CopyTo(c, out);
  return known != 0 ? known : LearnChar(c, text, out);
}

size_t PartEncoder::LearnChar(CharCuts::Char c, std::string_view text,
                              TokenId* out) {
  const size_t before = ids_.size();
  bpe_.Encode(text, memory_.neighbours, ids_);
  memory_.chars.Set(c, std::span(ids_).subspan(before));
  ids_.resize(before);
  return memory_.chars.CopyTo(c, out);
}

inline TokenId* PartEncoder::PutChar(CharCuts::Char c, std::string_view text,
                                     TokenId* out) {
  const size_t count = IdsOfChar(c, text, out);
  if (count != 0) return out + count;
  EncodeNew(text, out);
  return known_.data();
}

PartEncoder::Part::Part(std::string_view text, const CharCuts::Run& run,
                        size_t first, size_t last, size_t before)
    : text(text), run(run), first(first), last(last), before(before) {
  const uint64_t places = ((uint64_t{1} << (last - first)) - 1) << first;
  const uint64_t broken_places = ~run.whole & places;
  broken = broken_places | broken_places << 1 | uint64_t{before > 0} << first;
}

TokenId* PartEncoder::PutPart(const Part& part, TokenId* out) {
  // What is merged as soon as it would be found needs no memory.
  if (part.broken != 0 && part.text.size() <= PieceCache::kMaxPieceBytes) {
    return PutRemembered(part, out);
  }
  if (TokenId* const end = MergeChars(part, out)) return end;
  EncodeNew(part.text, out);
  return known_.data();
}

TokenId* PartEncoder::PutRemembered(const Part& part, TokenId* out) {
  const PieceKey key = PieceKey::Of(part.text);
  const PieceCache::Hash hash = PieceCache::HashOf(key);
  const auto* const entry = memory_.pieces.pieces().Find(key, hash);
  if (entry != nullptr && !entry->ids().is_elsewhere()) {
    const PieceIds known = entry->ids();
    known.CopyTo(out);
    return out + known.count();
  }
  TokenId* end = MergeChars(part, out);
  std::span<const TokenId> ids(out, end == nullptr ? out : end);
  if (end == nullptr) {
    ids = EncodeNew(part.text, out);
    end = known_.data();
  }
  if (ids.size() <= PieceCache::kMaxIds) {
    memory_.pieces.pieces().Insert(memory_.pieces.reader(), key, hash, ids);
  }
  return end;
}

TokenId* PartEncoder::MergeChars(const Part& part, TokenId* out) {
  TokenId* end = out;
  const auto put_bytes = [&](std::string_view bytes) {
    for (const char byte : bytes) *end++ = bpe_.ByteId(byte);
  };
  if (part.before > kMostMergedBytes) return nullptr;
  put_bytes(part.text.substr(0, part.before));
  for (size_t i = part.first; i <= part.last; ++i) {
    const size_t at = part.before + (i - part.first) * CharCuts::kCharBytes;
    const std::string_view text = part.text.substr(at, CharCuts::kCharBytes);
    if (part.broken >> i & 1) {
      put_bytes(text);
    } else {
      const size_t count = IdsOfChar(part.run.chars[i], text, end);
      if (count == 0) return nullptr;
      end += count;
    }
    if (end - out > ptrdiff_t{kMostMergedBytes}) return nullptr;
  }
  return out + bpe_.MergeIds({out, end});
}

std::span<const TokenId> PartEncoder::EncodeNew(std::string_view text,
                                                const TokenId* out) {
  Flush(out);
  const size_t first = ids_.size();
  bpe_.Encode(text, memory_.neighbours, ids_);
  return std::span(ids_).subspan(first);
}

void PartEncoder::Flush(const TokenId* out) {
  ids_.insert(ids_.end(), static_cast<const TokenId*>(known_.data()), out);
}

}  // namespace penstock
