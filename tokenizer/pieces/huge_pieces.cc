#include "tokenizer/pieces/huge_pieces.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace penstock {

const HugePieces::Record* HugePieces::Find(std::string_view piece,
                                           uint64_t hash) const {
  for (const Record& record : records()) {
    const size_t text = record.begin + record.ids * sizeof(TokenId);
    if (record.hash == hash && record.bytes == piece.size() &&
        std::memcmp(BytesAt(text), piece.data(), piece.size()) == 0) {
      return &record;
    }
  }
  return nullptr;
}

bool HugePieces::AppendIds(std::string_view piece, uint64_t hash,
                           std::vector<TokenId>& ids) const {
  const std::shared_lock lock(mutex_);
  const Record* const record = Find(piece, hash);
  if (record == nullptr) return false;
  const auto* const known =
      reinterpret_cast<const TokenId*>(BytesAt(record->begin));
  ids.insert(ids.end(), known, known + record->ids);
  return true;
}

void HugePieces::Insert(std::string_view piece, uint64_t hash,
                        std::span<const TokenId> ids) {
  const std::lock_guard lock(mutex_);
  if (!lately_.Add(static_cast<uint32_t>(hash))) return;
  // Another thread may have been first.
  if (Find(piece, hash) != nullptr) return;
  const size_t bytes = ids.size_bytes() + piece.size();
  if (!HasRoom(bytes)) return;
  char* const to = BytesAt(used_bytes_);
  std::ranges::copy(ids, reinterpret_cast<TokenId*>(to));
  std::memcpy(to + ids.size_bytes(), piece.data(), piece.size());
  records_[count_++] = {hash, piece.size(), ids.size(), used_bytes_};
  constexpr size_t kAlignment = alignof(TokenId);
  used_bytes_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

bool HugePieces::HasRoom(size_t bytes) {
  const size_t all = pages_.size_bytes();
  if (bytes > all) return false;
  if (count_ < kMostRecords && bytes <= all - used_bytes_) return true;
  refused_bytes_ += bytes;
  if (refused_bytes_ <= kRefusedTimes * used_bytes_) return false;
  ForgetAll();
  return true;
}

void HugePieces::ForgetAll() {
  pages_.Clear(pages_.size_bytes());
  used_bytes_ = count_ = refused_bytes_ = 0;
}

void HugePieces::Clear() {
  const std::lock_guard lock(mutex_);
  ForgetAll();
  lately_.Clear();
}

}  // namespace penstock
