#include "pipeline/read/column_room.h"

#include <algorithm>

namespace penstock {
namespace {

template <typename Values>
void GiveBack(Values& values) {
  if (values.capacity() > 2 * values.size()) values.shrink_to_fit();
}

}  // namespace

void ColumnRoom::Make(size_t rows, Examples& examples) const {
  if (rows_ == 0) {
    examples.columns.clear();
    return;
  }
  // A quarter more than the mean: growing copies all that is there.
  const auto room = [&](size_t of_rows) {
    const size_t mean = of_rows / rows_ + 1;
    return (mean + mean / 4) * rows;
  };
  if (!IsOfForm(examples)) examples.columns = forms_;
  for (size_t c = 0; c < forms_.size(); ++c) {
    Column& column = examples.columns[c];
    column.row_offsets.reserve(rows + 1);
    switch (column.type) {
      case FeatureType::kInt64:
        column.narrow ? column.narrow_ints.reserve(room(values_[c]))
                      : column.ints.reserve(room(values_[c]));
        break;
      case FeatureType::kFloat:
        column.floats.reserve(room(values_[c]));
        break;
      case FeatureType::kBytes:
        column.byte_offsets.reserve(room(values_[c]) + 1);
        column.bytes.reserve(room(bytes_[c]));
        break;
    }
  }
}

bool ColumnRoom::IsOfForm(const Examples& examples) const {
  return std::ranges::equal(examples.columns, forms_,
                            [](const Column& a, const Column& b) {
                              return a.name == b.name && a.type == b.type &&
                                     a.narrow == b.narrow && !a.is_ragged();
                            });
}

void ColumnRoom::Take(Examples& examples) {
  rows_ = examples.rows;
  forms_.resize(examples.columns.size());
  values_.clear();
  bytes_.clear();
  for (size_t c = 0; c < forms_.size(); ++c) {
    Column& column = examples.columns[c];
    if (column.is_ragged()) rows_ = 0;
    forms_[c].name = column.name;
    forms_[c].type = column.type;
    forms_[c].narrow = column.narrow;
    values_.push_back(column.values());
    bytes_.push_back(column.bytes.size());
    GiveBack(column.ints);
    GiveBack(column.narrow_ints);
    GiveBack(column.floats);
    GiveBack(column.byte_offsets);
    GiveBack(column.bytes);
  }
}

}  // namespace penstock
