#include "pipeline/arrange/ready_parts.h"

#include <algorithm>
#include <utility>

namespace penstock {

ReadyParts::ReadyParts(const ArrangeOptions& options, const ShareRule& rule)
    : options_(options),
      rule_(rule),
      fit_(RowFit::Of(options)),
      parts_(options.one_queue ? 1 : options.lengths.size(),
             std::vector<Parts>(rule.rows.size())) {}

uint64_t ReadyParts::BytesOf(const Assignment& part) const {
  if (!options_.pack) {
    return part.pieces.size() * (options_.one_queue
                                     ? options_.row_bytes.back()
                                     : options_.row_bytes[part.shape]);
  }
  uint64_t bytes = 0;
  for (const Piece& piece : part.pieces) {
    bytes += options_.pack->BytesOf(piece.length);
  }
  return bytes;
}

uint64_t ReadyParts::BatchBytes() const {
  if (options_.pack)
    return options_.pack->MostHeldBytes(options_.rows, options_);
  if (options_.one_queue) return options_.rows * options_.row_bytes.back();
  uint64_t bytes = 0;
  for (size_t queue = 0; queue < queues(); ++queue) {
    bytes += options_.RowsOf(queue) * options_.row_bytes[queue];
  }
  return bytes;
}

void ReadyParts::Push(size_t host, Assignment part) {
  bytes_ += BytesOf(part);
  parts_[QueueOf(part)][host].push_back(std::move(part));
}

void ReadyParts::Clear() {
  for (auto& queue : parts_) {
    for (Parts& parts : queue) parts.clear();
  }
  bytes_ = 0;
}

template <typename Is>
std::optional<size_t> ReadyParts::FirstQueue(Is is) const {
  const auto found = std::ranges::find_if(parts_, is);
  if (found == parts_.end()) return std::nullopt;
  return static_cast<size_t>(found - parts_.begin());
}

std::optional<size_t> ReadyParts::FullQueue() const {
  return FirstQueue([](const std::vector<Parts>& queue) {
    return std::ranges::none_of(queue, &Parts::empty);
  });
}

std::optional<size_t> ReadyParts::OverfullQueue() const {
  return FirstQueue([](const std::vector<Parts>& queue) {
    return std::ranges::any_of(
        queue, [](const Parts& parts) { return parts.size() > kMostParts; });
  });
}

std::optional<size_t> ReadyParts::AnyQueue() const {
  return FirstQueue([](const std::vector<Parts>& queue) {
    return !std::ranges::all_of(queue, &Parts::empty);
  });
}

size_t ReadyParts::FullestQueue() const {
  const auto count = [](const std::vector<Parts>& queue) {
    size_t parts = 0;
    for (const Parts& of : queue) parts += of.size();
    return parts;
  };
  return static_cast<size_t>(std::ranges::max_element(parts_, {}, count) -
                             parts_.begin());
}

void ReadyParts::Take(size_t queue, Assignment& out) {
  out.shape = 0;
  out.real_rows = 0;
  out.pieces.clear();
  out.row_offsets.assign(1, 0);
  std::vector<Assignment> taken(parts_[queue].size());
  std::vector<std::pair<const Assignment*, size_t>> from(
      options_.RowsOf(queue));
  for (size_t host = 0; host < taken.size(); ++host) {
    Parts& parts = parts_[queue][host];
    if (parts.empty()) continue;
    Assignment& part = taken[host];
    part = std::move(parts.front());
    parts.pop_front();
    bytes_ -= BytesOf(part);
    out.shape = std::max(out.shape, part.shape);
    out.real_rows += part.real_rows;
    const std::vector<uint32_t>& places = RowsOf(host, queue);
    for (size_t row = 0; row + 1 < part.row_offsets.size(); ++row) {
      from[places[row]] = {&part, row};
    }
  }
  for (const auto& [part, row] : from) {
    if (part != nullptr) {
      const auto begin = part->pieces.begin();
      out.pieces.insert(out.pieces.end(), begin + part->row_offsets[row],
                        begin + part->row_offsets[row + 1]);
    }
    out.row_offsets.push_back(static_cast<uint32_t>(out.pieces.size()));
  }
}

uint64_t ReadyParts::records() const {
  uint64_t records = 0;
  for (const auto& queue : parts_) {
    for (const Parts& parts : queue) {
      for (const Assignment& part : parts) {
        records += static_cast<uint64_t>(
            std::ranges::count(part.pieces, true, &Piece::last));
      }
    }
  }
  return records;
}

void ReadyParts::Hold(size_t host, std::vector<HeldPiece>& held) const {
  uint32_t first_row = 0;  // of the part
  for (const auto& queue : parts_) {
    for (const Assignment& part : queue[host]) {
      uint32_t row = 0;
      for (uint32_t i = 0; i < part.pieces.size(); ++i) {
        while (part.row_offsets[row + 1] <= i) ++row;
        held.push_back({.record = part.pieces[i].record,
                        .begin = part.pieces[i].begin,
                        .bin = kBin | (first_row + row)});
      }
      first_row += MostRowsOf(host);
    }
  }
}

std::optional<size_t> ReadyParts::Load(size_t host,
                                       std::span<const HeldPiece> held,
                                       std::span<const Row> rows) {
  size_t at = 0;
  for (uint32_t part = 0;; ++part) {
    const auto is_of_part = [&](const HeldPiece& piece) {
      return (piece.bin & kBin) != 0 &&
             (piece.bin & ~kBin) / MostRowsOf(host) == part;
    };
    size_t end = at;
    while (end < held.size() && is_of_part(held[end])) ++end;
    if (end == at) break;
    if (!LoadPart(host, held.subspan(at, end - at),
                  rows.subspan(at, end - at))) {
      return std::nullopt;
    }
    at = end;
  }
  return at;
}

// Puts a piece behind those of its row; `shape` rises to what it needs.
bool ReadyParts::PlacePiece(const HeldPiece& held, Row row,
                            std::vector<Piece>& in_row, size_t& shape) const {
  const bool cuts = options_.pack && options_.pack->kind == PackKind::kChunk;
  const auto longest = static_cast<uint32_t>(options_.lengths.back());
  if (!fit_.AdmitAgain(row)) return false;
  if (held.begin > 0 && (!cuts || held.begin >= row.length)) return false;
  const uint32_t place =
      in_row.empty() ? 0 : in_row.back().place + in_row.back().length;
  const uint32_t left = row.length - held.begin;
  const uint32_t length = cuts ? std::min(left, longest - place) : left;
  if (length > longest || place > longest - length) return false;
  if (!options_.pack) {
    if (!in_row.empty()) return false;
    shape = std::max(shape, fit_.ShapeOf(length));
  }
  in_row.push_back({.record = row.record,
                    .tag = row.tag,
                    .begin = held.begin,
                    .length = length,
                    .place = place,
                    .last = length == left});
  return true;
}

bool ReadyParts::LoadPart(size_t host, std::span<const HeldPiece> held,
                          std::span<const Row> rows) {
  Assignment part;
  std::vector<std::vector<Piece>> pieces(MostRowsOf(host));
  for (size_t i = 0; i < held.size(); ++i) {
    size_t shape = 0;
    if (!PlacePiece(held[i], rows[i],
                    pieces[(held[i].bin & ~kBin) % pieces.size()], shape)) {
      return false;
    }
    if (!options_.one_queue && i > 0 && shape != part.shape) return false;
    part.shape = std::max(part.shape, shape);
  }
  const size_t fed = RowsOf(host, QueueOf(part)).size();
  part.row_offsets.push_back(0);
  for (size_t row = 0; row < pieces.size(); ++row) {
    if (row >= fed && !pieces[row].empty()) return false;
    if (row >= fed) continue;
    part.real_rows += pieces[row].empty() ? 0 : 1;
    part.pieces.insert(part.pieces.end(), pieces[row].begin(),
                       pieces[row].end());
    part.row_offsets.push_back(static_cast<uint32_t>(part.pieces.size()));
  }
  Push(host, std::move(part));
  return true;
}

}  // namespace penstock
