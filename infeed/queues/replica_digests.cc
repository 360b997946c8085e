#include "infeed/queues/replica_digests.h"

#include <algorithm>
#include <cstring>
#include <span>

#include "infeed/accounts/batch_digest.h"

namespace penstock {
namespace {

constexpr size_t kHeadWords = 3;

// Hosts of a run are machines of one kind.
std::string WordsToText(const std::vector<uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()),
          words.size() * sizeof(uint64_t)};
}

std::vector<uint64_t> WordsOfText(std::string_view text) {
  std::vector<uint64_t> words(text.size() / sizeof(uint64_t));
  if (words.empty()) return words;
  std::memcpy(words.data(), text.data(), words.size() * sizeof(uint64_t));
  return words;
}

Status OtherWords() {
  return InternalError("a host tells of its rows in other words");
}

// Rows of a batch, all of one shard or one of them.
struct RowRange {
  size_t begin = 0;
  size_t end = 0;
};

RowRange RowsOf(const Batch& batch, const Topology& topology, uint32_t shard) {
  const std::vector<uint32_t> shards = topology.ShardsOf(topology.host);
  const auto place = static_cast<size_t>(
      std::ranges::lower_bound(shards, shard) - shards.begin());
  const size_t rows = batch.rows() / shards.size();
  return {place * rows, (place + 1) * rows};
}

uint64_t DigestOfRecords(const Batch& batch, RowRange rows) {
  std::vector<uint64_t> words;
  for (size_t r = rows.begin; r < rows.end; ++r) {
    words.push_back(batch.row_offsets[r + 1] - batch.row_offsets[r]);
    for (uint32_t i = batch.row_offsets[r]; i < batch.row_offsets[r + 1]; ++i) {
      words.push_back(batch.record_ids[i]);
      if (!batch.record_begins.empty()) {
        words.push_back(batch.record_begins[i]);
      }
    }
  }
  return DigestOf(std::as_bytes(std::span(words)));
}

uint64_t DigestOfFeature(const Batch& batch, size_t feature, RowRange rows) {
  if (feature == 0) return DigestOfRecords(batch, rows);
  const std::span<const std::byte> bytes = batch.tensors[feature - 1].bytes;
  const size_t row_bytes = bytes.size() / batch.rows();
  return DigestOf(bytes.subspan(rows.begin * row_bytes,
                                (rows.end - rows.begin) * row_bytes));
}

}  // namespace

SharedShards SharedShards::Of(const Topology& topology) {
  std::vector<uint32_t> times(topology.shards);
  for (uint32_t host = 0; host < topology.hosts; ++host) {
    for (const uint32_t shard : topology.ShardsOf(host)) ++times[shard];
  }
  SharedShards shared;
  for (uint32_t shard = 0; shard < topology.shards; ++shard) {
    if (times[shard] > 1) shared.all.push_back(shard);
  }
  for (uint32_t host = 0; host < topology.hosts; ++host) {
    std::vector<uint32_t>& of_host = shared.of_host.emplace_back();
    for (const uint32_t shard : topology.ShardsOf(host)) {
      if (times[shard] > 1) of_host.push_back(shard);
    }
  }
  return shared;
}

std::optional<size_t> SharedShards::PlaceOf(uint32_t host,
                                            uint32_t shard) const {
  const std::vector<uint32_t>& mine = of_host[host];
  const auto found = std::ranges::lower_bound(mine, shard);
  if (found == mine.end() || *found != shard) return std::nullopt;
  return static_cast<size_t>(found - mine.begin());
}

ReplicaPart DigestShared(const Batch& batch, const Topology& topology,
                         const SharedShards& shared) {
  ReplicaPart part = {.step = batch.step, .shape = batch.shape};
  for (const uint32_t shard : shared.of_host[topology.host]) {
    const RowRange rows = RowsOf(batch, topology, shard);
    std::vector<uint64_t>& digests = part.digests.emplace_back();
    for (size_t f = 0; f <= batch.tensors.size(); ++f) {
      digests.push_back(DigestOfFeature(batch, f, rows));
    }
  }
  return part;
}

std::vector<std::vector<RowDigest>> DigestSharedRows(
    const Batch& batch, const Topology& topology,
    const std::vector<SharedPart>& parts) {
  const std::vector<uint32_t> shards = topology.ShardsOf(topology.host);
  std::vector<std::vector<RowDigest>> all;
  for (const SharedPart& part : parts) {
    if (!std::ranges::binary_search(shards, part.shard)) continue;
    const RowRange rows = RowsOf(batch, topology, part.shard);
    std::vector<RowDigest>& digests = all.emplace_back();
    for (size_t r = rows.begin; r < rows.end; ++r) {
      const std::span<const uint64_t> records = batch.RecordsOf(r);
      digests.push_back(
          {.value = DigestOfFeature(batch, part.feature, {r, r + 1}),
           .record = records.empty() ? kNoRecord : records.front()});
    }
  }
  return all;
}

std::string TellPart(const ReplicaPart& part) {
  std::vector<uint64_t> words = {part.at_end ? 1u : 0u, part.step, part.shape};
  for (const std::vector<uint64_t>& shard : part.digests) {
    words.insert(words.end(), shard.begin(), shard.end());
  }
  return WordsToText(words);
}

StatusOr<ReplicaPart> HearPart(std::string_view told, size_t shards,
                               size_t features) {
  const std::vector<uint64_t> words = WordsOfText(told);
  if (words.size() < kHeadWords) return OtherWords();
  ReplicaPart part = {
      .at_end = words[0] != 0, .step = words[1], .shape = words[2]};
  if (part.at_end) return part;
  if (words.size() != kHeadWords + shards * features) return OtherWords();
  for (size_t s = 0; s < shards; ++s) {
    const auto begin =
        words.begin() + static_cast<std::ptrdiff_t>(kHeadWords + s * features);
    part.digests.emplace_back(begin,
                              begin + static_cast<std::ptrdiff_t>(features));
  }
  return part;
}

std::string TellRows(const std::vector<std::vector<RowDigest>>& rows) {
  std::vector<uint64_t> words;
  for (const std::vector<RowDigest>& part : rows) {
    words.push_back(part.size());
    for (const RowDigest& row : part) {
      words.insert(words.end(), {row.value, row.record});
    }
  }
  return WordsToText(words);
}

StatusOr<std::vector<std::vector<RowDigest>>> HearRows(std::string_view told) {
  const std::vector<uint64_t> words = WordsOfText(told);
  std::vector<std::vector<RowDigest>> rows;
  for (size_t at = 0; at < words.size();) {
    const uint64_t count = words[at++];
    if (count > (words.size() - at) / 2) return OtherWords();
    std::vector<RowDigest>& part = rows.emplace_back();
    for (uint64_t r = 0; r < count; ++r, at += 2) {
      part.push_back({.value = words[at], .record = words[at + 1]});
    }
  }
  return rows;
}

}  // namespace penstock
