#include "tokenizer/bpe/part_encoder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace penstock {
void PartEncoder::Encode(std::string_view piece, std::vector<TokenId>& ids) {
  while (!piece.empty()) {
    results_.Clear();
    const Added added = AddSome(piece);
    const auto some = IdsOf(0);
    ids.insert(ids.end(), some.begin(), some.end());
    piece.remove_prefix(added.bytes);
    bpe_.Encode(piece.substr(0, added.alone_bytes), memory_.neighbours, ids);
    piece.remove_prefix(added.alone_bytes);
  }
}

size_t PartEncoder::Add(std::string_view piece) {
  results_.bytes += piece.size();
  const Added added = AddSome(piece);
  if (added.alone_bytes > 0) {
    IdBuffer& ids = results_.ids;
    ids.Take(PutNew(piece.substr(added.bytes), ids, ids.Room(kRoom)));
    results_.pieces.back().end_id = ids.size();
  }
  return results_.pieces.size() - 1;
}

PartEncoder::Added PartEncoder::AddSome(std::string_view piece) {
  cuts_ = bpe_.cuts();
  chars_ = &bpe_.chars();
  derivations_ = &bpe_.derivations();
  PartResults::Piece added = {
      .first_id = results_.ids.size(),
      .first_doubt = static_cast<uint32_t>(results_.doubts.size())};
  CharCuts::Run run;
  size_t begin = 0;  // of the part that has no end yet
  size_t at = 0;
  size_t alone = 0;
  while (at < piece.size() && begin < kMostBytes && alone == 0) {
    cuts_->Read(piece.substr(at), run);
    const size_t run_end = at + run.count * CharCuts::kCharBytes;
    if (run.count > 0 && run_end == piece.size()) {
      run.cuts |= uint64_t{1} << (run.count - 1);
    }
    TokenId* out = results_.ids.Room(kRoom);
    for (uint64_t places = run.cuts; places != 0; places &= places - 1) {
      const size_t last = std::countr_zero(places);
      const size_t end = at + (last + 1) * CharCuts::kCharBytes;
      const size_t first_at = std::max(begin, at);
      const std::string_view part = piece.substr(begin, end - begin);
      if (part.size() > kMostBytes) {
        alone = part.size();
        break;
      }
      out = part.size() == CharCuts::kCharBytes
                ? PutChar(run.chars[last], part, results_.ids, out)
                : PutPart({part, run, (first_at - at) / CharCuts::kCharBytes,
                           last, first_at - begin},
                          out);
      begin = end;
    }
    results_.ids.Take(out);
    // The last of a full run may be cut from what follows.
    at = run.count == CharCuts::kMostRead && run_end < piece.size()
             ? run_end - CharCuts::kCharBytes
             : run_end + 1;
  }
  added.end_id = results_.ids.size();
  added.end_doubt = static_cast<uint32_t>(results_.doubts.size());
  results_.pieces.push_back(added);
  if (alone == 0 && at >= piece.size()) alone = piece.size() - begin;
  return {begin, alone};
}

size_t PartEncoder::LearnChar(CharCuts::Char c, std::string_view text,
                              TokenId* out) {
  results_.merged.clear();
  bpe_.Encode(text, memory_.neighbours, results_.merged);
  memory_.chars.Set(c, results_.merged);
  return memory_.chars.CopyTo(c, out);
}

inline TokenId* PartEncoder::PutChar(CharCuts::Char c, std::string_view text,
                                     IdBuffer& to, TokenId* out) {
  const size_t count = IdsOfChar(c, text, out);
  return count != 0 ? out + count : PutNew(text, to, out);
}

PartEncoder::Part::Part(std::string_view text, const CharCuts::Run& run,
                        size_t first, size_t last, size_t before)
    : text(text), run(run), first(first), last(last), before(before) {
  const uint64_t places = ((uint64_t{1} << (last - first)) - 1) << first;
  broken_places = ~run.whole & places;
  broken = broken_places | broken_places << 1 | uint64_t{before > 0} << first;
}

TokenId* PartEncoder::PutPart(const Part& part, TokenId* out) {
  if (!chars_->empty()) {
    if (TokenId* const end = PutLongest(part, out)) return end;
  }
  return PutMerged(part, results_.ids, out);
}

TokenId* PartEncoder::PutMerged(const Part& part, IdBuffer& to, TokenId* out) {
  // What is merged as soon as it would be found needs no memory. What is a
  // token by itself alone has other ids there.
  if (part.broken != 0 && part.text.size() <= PieceCache::kMaxPieceBytes &&
      bpe_.MakesTokenOf(part.text)) {
    return PutRemembered(part, to, out);
  }
  TokenId* const end = MergeChars(part, out);
  return end != nullptr ? end : PutNew(part.text, to, out);
}

TokenId* PartEncoder::PutRemembered(const Part& part, IdBuffer& to,
                                    TokenId* out) {
  const PieceKey key = PieceKey::Of(part.text);
  const PieceCache::Hash hash = PieceCache::HashOf(key);
  const auto* const entry = memory_.pieces.pieces().Find(key, hash);
  if (entry != nullptr && !entry->ids().is_elsewhere()) {
    const PieceIds known = entry->ids();
    known.CopyTo(out);
    return out + known.count();
  }
  // Of so few bytes there are no more ids than there is room for.
  static_assert(PieceCache::kMaxPieceBytes <= kMostMergedIds);
  TokenId* const end = MergeChars(part, out);
  if (end == nullptr) return PutNew(part.text, to, out);
  const std::span<const TokenId> ids(out, end);
  if (ids.size() <= PieceCache::kMaxIds) {
    memory_.pieces.pieces().Insert(memory_.pieces.pieces_inserter(), key, hash,
                                   ids);
  }
  return end;
}

TokenId* PartEncoder::MergeChars(const Part& part, TokenId* out) {
  TokenId* end = out;
  const auto put_bytes = [&](std::string_view bytes) {
    for (const char byte : bytes) *end++ = bpe_.ByteId(byte);
  };
  if (part.before > kMostMergedIds) return nullptr;
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
    if (end - out > ptrdiff_t{kMostMergedIds}) return nullptr;
  }
  return out + bpe_.MergeIds({out, end});
}

TokenId* PartEncoder::PutNew(std::string_view text, IdBuffer& to,
                             TokenId* out) {
  results_.merged.clear();
  bpe_.Encode(text, memory_.neighbours, results_.merged);
  to.Take(out);
  to.Append(results_.merged);
  return to.Room(kRoom);
}

}  // namespace penstock
