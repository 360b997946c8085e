#include "pipeline/build/decode.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/files/status_or.h"
#include "pipeline/graph/tensors.h"

namespace penstock {
namespace {

void AppendTexts(std::span<const std::string_view> records, Examples& out) {
  out.columns.resize(1);
  Column& column = out.columns[0];
  column.name = "text";
  column.type = FeatureType::kBytes;
  for (const std::string_view record : records) {
    column.bytes.append(record);
    column.byte_offsets.push_back(column.bytes.size());
    column.EndRow();
  }
  out.rows += records.size();
}

// Bytes [begin, end) of values of `from` go behind those of `to`.
void AppendBytes(const Column& from, size_t begin, size_t end, Column& to) {
  for (size_t v = begin; v < end; ++v) {
    to.bytes.append(from.bytes_at(v));
    to.byte_offsets.push_back(to.bytes.size());
  }
}

// Moves `from` behind `to`.
void AppendColumn(const Column& from, Column& to) {
  const uint64_t before = to.values();
  to.name = from.name;
  to.type = from.type;
  to.ints.insert(to.ints.end(), from.ints.begin(), from.ints.end());
  to.floats.insert(to.floats.end(), from.floats.begin(), from.floats.end());
  if (from.type == FeatureType::kBytes) AppendBytes(from, 0, from.values(), to);
  for (size_t row = 1; row < from.row_offsets.size(); ++row) {
    to.row_offsets.push_back(before + from.row_offsets[row]);
  }
}

// Keeps `most` values of each row, at its front or at its back.
template <typename T>
void KeepEnds(size_t first_row, uint64_t most, bool backs, Column& column,
              std::vector<T>& values) {
  std::vector<uint64_t>& offsets = column.row_offsets;
  uint64_t to = offsets[first_row];
  uint64_t from = to;
  for (size_t row = first_row; row + 1 < offsets.size(); ++row) {
    const uint64_t end = offsets[row + 1];
    const uint64_t kept = std::min(end - from, most);
    if (backs) from = end - kept;
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(from), kept,
                values.begin() + static_cast<std::ptrdiff_t>(to));
    to += kept;
    offsets[row + 1] = to;
    from = end;
  }
  values.resize(to);
}

// Of one value as it is decoded.
uint64_t ValueBytes(const Feature& feature) {
  if (feature.type == FeatureType::kFloat) return 4;
  if (feature.type == FeatureType::kInt64) return 8;
  uint64_t bytes = SizeBytes(TypeInBatch(feature)) + 8;
  for (const int64_t size : feature.shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

}  // namespace

StatusOr<Decoder> Decoder::Create(const Stages& stages) {
  Decoder decoder;
  if (stages.read.examples) {
    std::vector<FeatureSpec> specs;
    for (const Feature& feature : stages.features) {
      specs.push_back({.name = feature.name,
                       .type = feature.type,
                       .length = feature.length == Feature::kVarying
                                     ? FeatureSpec::kAnyLength
                                     : feature.length,
                       .optional = feature.optional,
                       .encoding = feature.encoding});
    }
    PENSTOCK_ASSIGN_OR_RETURN(decoder.parser_,
                              ExampleParser::Create(std::move(specs)));
  }
  decoder.tokenize_ = stages.tokenize;
  for (size_t i = 0; i < stages.batched.size(); ++i) {
    const Feature& feature = stages.batched[i];
    if (stages.tokenize && feature.name == stages.tokenize->options.to) {
      decoder.tokenized_ = i;
    }
    if (feature.name == stages.by()) decoder.by_ = i;
    const auto most = static_cast<uint64_t>(feature.length == Feature::kVarying
                                                ? stages.lengths().back() + 1
                                                : feature.length);
    decoder.most_values_.push_back(most);
    decoder.cuts_left_.push_back(feature.cut_side == Side::kLeft);
    // Columns grow by doubling.
    const uint64_t value_bytes = 2 * ValueBytes(feature);
    decoder.row_bytes_ += 2 * 8;  // of row_offsets
    if (feature.name == stages.by()) {
      decoder.by_value_bytes_ = value_bytes;
    } else {
      decoder.row_bytes_ += most * value_bytes;
    }
  }
  return decoder;
}

Status Decoder::Decode(std::span<const std::string_view> records,
                       std::span<const uint64_t> ids, const Locate& locate,
                       DecodeScratch& scratch, DecodedRows& out) const {
  const size_t first_row = out.examples.rows;
  Examples& parsed = tokenize_ ? scratch.parsed : out.examples;
  if (tokenize_) parsed.Clear();
  if (parser_) {
    PENSTOCK_RETURN_IF_ERROR(parser_->Parse(
        records, [&](size_t i) { return locate(ids[i]); }, parsed));
  } else {
    AppendTexts(records, parsed);
  }
  if (tokenize_) {
    PENSTOCK_RETURN_IF_ERROR(Tokenize(ids, locate, scratch, out.examples));
  }
  for (size_t row = first_row; row < out.examples.rows; ++row) {
    const uint64_t values =
        by_ ? out.examples.columns[*by_].values_in(row) : uint64_t{0};
    out.lengths.push_back(static_cast<uint32_t>(
        std::min<uint64_t>(values, std::numeric_limits<uint32_t>::max())));
  }
  Cut(first_row, out.examples);
  return OkStatus();
}

Status Decoder::Tokenize(std::span<const uint64_t> ids, const Locate& locate,
                         DecodeScratch& scratch, Examples& out) const {
  const Examples& parsed = scratch.parsed;
  out.columns.resize(parsed.columns.size());
  for (size_t c = 0; c < parsed.columns.size(); ++c) {
    if (c != tokenized_) AppendColumn(parsed.columns[c], out.columns[c]);
  }
  const Column& texts = parsed.columns[tokenized_];
  Column& tokens = out.columns[tokenized_];
  tokens.name = tokenize_->options.to;
  tokens.type = FeatureType::kInt64;
  std::vector<TokenId>& encoded = scratch.tokens;
  for (size_t row = 0; row < ids.size(); ++row) {
    // An optional feature that a row lacks is an empty text.
    const std::string_view text = texts.values_in(row) == 0
                                      ? std::string_view()
                                      : texts.bytes_at(texts.row_offsets[row]);
    encoded.clear();
    const Status status =
        tokenize_->tokenizer->Encode(text, tokenize_->options.encode, encoded);
    if (!status.ok()) return Annotate(status, locate(ids[row]));
    tokens.ints.insert(tokens.ints.end(), encoded.begin(), encoded.end());
    tokens.EndRow();
  }
  out.rows += ids.size();
  return OkStatus();
}

void Decoder::Cut(size_t first_row, Examples& out) const {
  for (size_t c = 0; c < out.columns.size(); ++c) {
    Column& column = out.columns[c];
    const uint64_t most = most_values_[c];
    if (column.type == FeatureType::kBytes) continue;  // of one value each
    bool cut = false;
    for (size_t row = first_row; row < out.rows && !cut; ++row) {
      cut = column.values_in(row) > most;
    }
    if (!cut) continue;
    if (column.type == FeatureType::kFloat) {
      KeepEnds(first_row, most, cuts_left_[c], column, column.floats);
    } else {
      KeepEnds(first_row, most, cuts_left_[c], column, column.ints);
    }
  }
}

uint64_t Decoder::WorkBytes(uint64_t raw_bytes, uint64_t rows) const {
  // A byte of a record may be a number of 8 bytes. Columns grow by doubling,
  // and while they do, the old one is still there.
  uint64_t for_each_byte = 3 * 8;
  // The text itself, its ids of 4 bytes, and these as numbers.
  if (tokenize_) for_each_byte += 3 * (1 + 4);
  return raw_bytes * for_each_byte + rows * 3 * 8 * (most_values_.size() + 2);
}

void AppendRow(const Examples& from, size_t row, Examples& to) {
  to.columns.resize(from.columns.size());
  for (size_t c = 0; c < from.columns.size(); ++c) {
    const Column& source = from.columns[c];
    Column& target = to.columns[c];
    target.name = source.name;
    target.type = source.type;
    if (source.type == FeatureType::kBytes) {
      AppendBytes(source, source.row_offsets[row], source.row_offsets[row + 1],
                  target);
    } else if (source.type == FeatureType::kInt64) {
      const auto values = source.ints_of(row);
      target.ints.insert(target.ints.end(), values.begin(), values.end());
    } else {
      const auto values = source.floats_of(row);
      target.floats.insert(target.floats.end(), values.begin(), values.end());
    }
    target.EndRow();
  }
  ++to.rows;
}

}  // namespace penstock
