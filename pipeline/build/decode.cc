#include "pipeline/build/decode.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "formats/files/status_or.h"
#include "tokenizer/interface/tokenizer.h"

namespace penstock {
namespace {

void TextColumn(std::span<const std::string_view> records, Examples& out) {
  out.columns.resize(1);
  Column& column = out.columns[0];
  column.Clear();
  column.name = "text";
  column.type = FeatureType::kBytes;
  for (const std::string_view record : records) {
    column.bytes.append(record);
    column.byte_offsets.push_back(column.bytes.size());
    column.row_offsets.push_back(column.row_offsets.back() + 1);
  }
  out.rows = records.size();
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
    const std::string& name = stages.batched[i].name;
    if (stages.tokenize && name == stages.tokenize->options.to) {
      decoder.tokenized_ = i;
    }
    if (name == stages.by()) decoder.by_ = i;
  }
  return decoder;
}

Status Decoder::Decode(std::span<const std::string_view> records,
                       std::span<const uint64_t> ids, const Locate& locate,
                       Examples& out) const {
  if (parser_) {
    out.Clear();
    PENSTOCK_RETURN_IF_ERROR(parser_->Parse(
        records, [&](size_t i) { return locate(ids[i]); }, out));
  } else {
    TextColumn(records, out);
  }
  if (!tokenize_) return OkStatus();
  return Tokenize(ids, locate, out.columns[tokenized_]);
}

Status Decoder::Tokenize(std::span<const uint64_t> ids, const Locate& locate,
                         Column& column) const {
  Column tokens;
  tokens.name = tokenize_->options.to;
  tokens.type = FeatureType::kInt64;
  tokens.row_offsets.reserve(ids.size() + 1);
  std::vector<TokenId> encoded;
  for (size_t row = 0; row < ids.size(); ++row) {
    // An optional feature that a row lacks is an empty text.
    const std::string_view text =
        column.values_in(row) == 0 ? std::string_view()
                                   : column.bytes_at(column.row_offsets[row]);
    const Status status =
        tokenize_->tokenizer->Encode(text, tokenize_->options.encode, encoded);
    if (!status.ok()) return Annotate(status, locate(ids[row]));
    tokens.row_offsets.push_back(encoded.size());
  }
  tokens.ints.assign(encoded.begin(), encoded.end());
  column = std::move(tokens);
  return OkStatus();
}

uint32_t Decoder::LengthOf(const Examples& examples, size_t row) const {
  if (!by_) return 0;
  return static_cast<uint32_t>(
      std::min<uint64_t>(examples.columns[*by_].values_in(row),
                         std::numeric_limits<uint32_t>::max()));
}

uint64_t SizeBytes(const Examples& examples) {
  uint64_t bytes = 0;
  for (const Column& column : examples.columns) {
    bytes += 8 * (column.row_offsets.capacity() + column.ints.capacity() +
                  column.byte_offsets.capacity()) +
             4 * column.floats.capacity() + column.bytes.capacity();
  }
  return bytes;
}

void AppendRow(const Examples& from, size_t row, Examples& to) {
  to.columns.resize(from.columns.size());
  for (size_t c = 0; c < from.columns.size(); ++c) {
    const Column& source = from.columns[c];
    Column& target = to.columns[c];
    target.name = source.name;
    target.type = source.type;
    if (source.type == FeatureType::kInt64) {
      const auto values = source.ints_of(row);
      target.ints.insert(target.ints.end(), values.begin(), values.end());
    } else {
      const auto values = source.floats_of(row);
      target.floats.insert(target.floats.end(), values.begin(), values.end());
    }
    target.row_offsets.push_back(target.row_offsets.back() +
                                 source.values_in(row));
  }
  ++to.rows;
}

}  // namespace penstock
