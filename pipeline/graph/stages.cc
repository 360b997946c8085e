#include "pipeline/graph/stages.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "pipeline/graph/check_stages.h"
#include "pipeline/graph/derived_parts.h"
#include "pipeline/graph/row_ops.h"
#include "pipeline/graph/row_parts.h"
#include "pipeline/graph/tensors.h"
#include "tokenizer/interface/fingerprint.h"

namespace penstock {

std::string Stages::by() const {
  if (pack) return pack->by;
  if (bucket) return bucket->by;
  return pad ? pad->by : "";
}

double Stages::pad_value() const {
  if (pack) return pack->pad_value;
  if (bucket) return bucket->pad_value;
  return pad ? pad->pad_value : 0;
}

RecordFeature Stages::OriginOf(const std::string& feature) const {
  RecordFeature of_records;
  const auto i = FindFeature(*this, feature);
  if (!i) return of_records;
  const std::string& name = sources.front().origins[*i].name;
  for (const SourceStages& source : sources) {
    if (source.origins[*i].name != name) return {};
    of_records.sides.push_back(source.origins[*i].side);
  }
  of_records.name = name;
  return of_records;
}

std::vector<const SourceStages*> Stages::readers() const {
  std::vector<const SourceStages*> all;
  for (const SourceStages& source : sources) {
    for (const SourceStages& side : source.sides) all.push_back(&side);
    all.push_back(&source);
  }
  return all;
}

bool Stages::rows_vary() const {
  return !by().empty() || !DecidesRows(*this).empty();
}

RowIds Stages::row_ids() const {
  RowIds ids;
  for (const SourceStages& source : sources) {
    ids.most_rows = std::max(ids.most_rows, source.most_rows);
  }
  return ids;
}

TooLong Stages::too_long() const {
  if (pack) return pack->too_long;
  if (bucket) return bucket->too_long;
  return pad ? pad->too_long : TooLong::kError;
}

uint64_t Stages::max_segments() const {
  return static_cast<uint64_t>(pack->max_segments > 0 ? pack->max_segments
                                                      : pack->length);
}

uint64_t Stages::window_rows() const {
  const auto rows = static_cast<uint64_t>(batch.size);
  if (pack->window_rows > 0) return static_cast<uint64_t>(pack->window_rows);
  return chunks() ? rows : rows + rows / 4 + 64;
}

std::optional<LengthGrid> Stages::grid() const {
  if (!bucket || bucket->with.empty()) return std::nullopt;
  std::vector<std::vector<int64_t>> lengths = {bucket->lengths};
  for (const BucketFeature& feature : bucket->with) {
    lengths.push_back(feature.lengths);
  }
  return LengthGrid(std::move(lengths), bucket->too_long);
}

std::vector<std::string> Stages::arranging() const {
  std::vector<std::string> features = {by()};
  if (!bucket) return features;
  for (const BucketFeature& feature : bucket->with) {
    features.push_back(feature.by);
  }
  return features;
}

std::vector<int64_t> Stages::LengthsOf(const std::string& feature) const {
  const auto cells = grid();
  if (!cells) return lengths();
  const std::vector<std::string> features = arranging();
  const auto found = std::ranges::find(features, feature);
  return cells->LengthsOf(found == features.end()
                              ? 0
                              : static_cast<size_t>(found - features.begin()));
}

std::vector<int64_t> Stages::measures() const {
  const auto cells = grid();
  if (!cells) return lengths();
  std::vector<int64_t> measures(cells->cells());
  std::iota(measures.begin(), measures.end(), 1);
  return measures;
}

std::string Stages::ShapeName(size_t shape) const {
  std::string name;
  for (const std::string& feature : arranging()) {
    name +=
        (name.empty() ? "" : " x ") + std::to_string(LengthsOf(feature)[shape]);
  }
  return name;
}

std::vector<int64_t> Stages::lengths() const {
  if (pack) return {pack->length};
  if (const auto cells = grid()) return cells->LengthsOf(0);
  if (bucket) return bucket->lengths;
  if (!pad) return {0};
  std::vector<int64_t> lengths;
  for (int64_t length = pad->multiple_of; length <= pad->max_length;
       length += pad->multiple_of) {
    lengths.push_back(length);
  }
  return lengths;
}

std::vector<StatePart> Stages::Parts() const {
  std::vector<StatePart> parts = RowParts(*this);
  if (!withdrawn.empty()) {
    Fingerprinter hash;
    for (const uint64_t id : withdrawn) hash.Add(id);
    parts.push_back({"Withdraw", hash.Finish()});
  }
  AddRowOpParts(*this, parts);
  AddDerivedParts(*this, parts);
  if (!by().empty()) {
    Fingerprinter arrange;
    arrange.Add(by()).Add(static_cast<uint64_t>(too_long()));
    arrange.Add(std::bit_cast<uint64_t>(pad_value()));
    for (const int64_t length : lengths()) {
      arrange.Add(static_cast<uint64_t>(length));
    }
    const std::vector<int64_t> of_shapes = shape_rows();
    // They would read as more lengths. States of before have no such word.
    if (!of_shapes.empty() && of_shapes.front() > lengths().back()) {
      arrange.Add("rows");
    }
    for (const int64_t rows : of_shapes) {
      arrange.Add(static_cast<uint64_t>(rows));
    }
    // States of before have none.
    if (!leftovers().empty()) arrange.Add("leftovers");
    for (const Leftover leftover : leftovers()) {
      arrange.Add(static_cast<uint64_t>(leftover));
    }
    if (bucket && bucket->merge_leftovers) arrange.Add("merge_leftovers");
    for (size_t i = 0; bucket && i < bucket->with.size(); ++i) {
      arrange.Add(bucket->with[i].by);
      const double pad_value = bucket->with[i].pad_value;
      if (pad_value != 0) arrange.Add(std::bit_cast<uint64_t>(pad_value));
      for (const int64_t length : bucket->with[i].lengths) {
        arrange.Add(static_cast<uint64_t>(length));
      }
    }
    const bool megatron = pack && pack->kind == PackKind::kMegatron;
    if (megatron) {
      arrange.Add(pack->seed).Add(pack->samples);
    } else if (pack) {
      arrange.Add(static_cast<uint64_t>(pack->kind))
          .Add(max_segments())
          .Add(window_rows());
    }
    // A name of its own, as its positions mean nothing to other kinds.
    parts.push_back({megatron ? "Pack by Megatron-LM's order"
                     : bucket ? "Bucket"
                              : (pad ? "Pad" : "Pack"),
                     arrange.Finish()});
  }
  Fingerprinter batches;
  batches.Add(static_cast<uint64_t>(batch.size))
      .Add(static_cast<uint64_t>(batch.leftover));
  if (batch.balance.parts > 0) {
    batches.Add(static_cast<uint64_t>(batch.balance.parts))
        .Add(std::bit_cast<uint64_t>(batch.balance.linear))
        .Add(std::bit_cast<uint64_t>(batch.balance.quadratic));
  }
  parts.push_back({"Batch", batches.Finish()});
  return parts;
}

Contract Stages::MakeContract() const {
  Contract contract;
  contract.rows = batch.size;
  contract.lengths = lengths();
  contract.shape_rows = shape_rows();
  for (BatchTensor& tensor : TensorsOf(*this)) {
    contract.tensors.push_back(std::move(tensor.spec));
  }
  return contract;
}

}  // namespace penstock
