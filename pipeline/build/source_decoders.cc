#include "pipeline/build/source_decoders.h"

#include <algorithm>
#include <utility>

#include "pipeline/build/append_row.h"

namespace penstock {
namespace {

bool SameFeature(const Feature& a, const Feature& b) {
  return a.name == b.name && a.type == b.type && a.length == b.length &&
         a.optional == b.optional && a.encoding == b.encoding &&
         a.shape == b.shape && a.cut_side == b.cut_side;
}

// A row is what an id is past `first_id`.
InMemory RowsOf(const Source& source, uint64_t first_id) {
  InMemory rows = {source.columns, first_id};
  if (source.megatron != nullptr) rows.tokens = source.megatron->type();
  return rows;
}

// Of a source or of each of its sides.
std::vector<InMemory> SidesOf(const Source& source, uint64_t first_id) {
  if (source.sides.empty()) return {RowsOf(source, first_id)};
  std::vector<InMemory> sides;
  for (const Source& side : source.sides) {
    sides.push_back(RowsOf(side, first_id - side.part.begin));
  }
  return sides;
}

bool DecodedAlike(const SourceStages& a, const SourceStages& b) {
  if (!a.sides.empty() || !b.sides.empty()) return false;
  // Functions are not compared.
  if (!a.row_ops.empty() || !b.row_ops.empty()) return false;
  if (a.read.megatron || b.read.megatron) return false;  // of other types
  // Their rows are counted from the first of each.
  if (a.read.columns != nullptr || b.read.columns != nullptr) return false;
  if (a.read.examples != b.read.examples ||
      a.tokenize.has_value() != b.tokenize.has_value() ||
      !std::ranges::equal(a.features, b.features, SameFeature)) {
    return false;
  }
  if (!a.tokenize) return true;
  const TokenizeOptions& one = a.tokenize->options;
  const TokenizeOptions& two = b.tokenize->options;
  return a.tokenize->tokenizer == b.tokenize->tokenizer &&
         one.from == two.from && one.to == two.to &&
         one.encode.special_text == two.encode.special_text &&
         one.encode.invalid_utf8 == two.encode.invalid_utf8 &&
         one.encode.add_special_tokens == two.encode.add_special_tokens;
}

}  // namespace

StatusOr<SourceDecoders> SourceDecoders::Create(const Stages& stages,
                                                const Sources& data,
                                                uint64_t dataset) {
  const std::vector<uint64_t>& first_ids = data.first_ids;
  SourceDecoders decoders;
  std::vector<const SourceStages*> kinds;
  for (size_t s = 0; s < stages.sources.size(); ++s) {
    const SourceStages& source = stages.sources[s];
    const auto kind = static_cast<size_t>(
        std::ranges::find_if(kinds,
                             [&](const SourceStages* other) {
                               return DecodedAlike(source, *other);
                             }) -
        kinds.begin());
    if (kind == kinds.size()) {
      kinds.push_back(&source);
      PENSTOCK_ASSIGN_OR_RETURN(
          Decoder decoder,
          Decoder::Create(stages, source, dataset,
                          SidesOf(data.each[s], first_ids[s])));
      decoders.decoders_.push_back(std::move(decoder));
    }
    // Where records are read in sequence there is one source.
    const uint64_t end = s + 1 < first_ids.size() ? first_ids[s + 1] : 0;
    if (s > 0 && decoders.decoder_of_.back() == kind) {
      decoders.ends_.back() = end;
    } else {
      decoders.ends_.push_back(end);
      decoders.decoder_of_.push_back(kind);
    }
  }
  return decoders;
}

size_t SourceDecoders::Of(uint64_t record_id) const {
  const auto run = std::ranges::upper_bound(ends_, record_id);
  return decoder_of_[static_cast<size_t>(run - ends_.begin())];
}

Status SourceDecoders::Decode(std::span<const std::string_view> records,
                              std::span<const uint64_t> ids, uint64_t epoch,
                              const Locate& locate, DecodeScratch& scratch,
                              DecodedRows& out) const {
  if (decoders_.size() == 1) {
    return decoders_[0].Decode(records, ids, epoch, locate, scratch, out);
  }
  // Those of each decoder at once, then row by row into the order asked for.
  std::vector<size_t> kinds(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) kinds[i] = Of(ids[i]);
  std::vector<DecodedRows> decoded(decoders_.size());
  std::vector<std::string_view> some;
  std::vector<uint64_t> some_ids;
  for (size_t kind = 0; kind < decoders_.size(); ++kind) {
    some.clear();
    some_ids.clear();
    for (size_t i = 0; i < ids.size(); ++i) {
      if (kinds[i] != kind) continue;
      some.push_back(records[i]);
      some_ids.push_back(ids[i]);
    }
    if (some.empty()) continue;
    PENSTOCK_RETURN_IF_ERROR(decoders_[kind].Decode(
        some, some_ids, epoch, locate, scratch, decoded[kind]));
    if (some.size() == ids.size() && out.lengths.empty()) {
      std::swap(out, decoded[kind]);
      return OkStatus();
    }
  }
  std::vector<size_t> record(decoders_.size());  // the next of each
  std::vector<size_t> row(decoders_.size());
  for (const size_t kind : kinds) {
    const DecodedRows& from = decoded[kind];
    const uint32_t rows = from.rows_of[record[kind]++];
    out.rows_of.push_back(rows);
    for (uint32_t i = 0; i < rows; ++i) {
      AppendRow(from.examples, row[kind], out.examples);
      out.lengths.push_back(from.lengths[row[kind]++]);
    }
  }
  return OkStatus();
}

uint64_t SourceDecoders::WorkBytes(uint64_t raw_bytes, uint64_t records) const {
  uint64_t bytes = 0;
  for (const Decoder& decoder : decoders_) {
    bytes = std::max(bytes, decoder.WorkBytes(raw_bytes, records));
  }
  // What is decoded apart is copied.
  return decoders_.size() == 1 ? bytes : 2 * bytes;
}

uint64_t SourceDecoders::RowBytes(int64_t length) const {
  return decoders_[0].RowBytes(length);
}

}  // namespace penstock
