#include "formats/example/examples.h"

namespace penstock {

void Column::MakeRagged() {
  row_steps.assign(1, 0);
  step_offsets.assign(1, 0);
}

void Column::Widen() {
  ints.assign(narrow_ints.begin(), narrow_ints.end());
  narrow = false;
  narrow_ints = {};
}

void Column::Clear() {
  if (is_ragged()) MakeRagged();
  row_offsets.assign(1, 0);
  ints.clear();
  narrow_ints.clear();
  floats.clear();
  byte_offsets.assign(1, 0);
  bytes.clear();
}

const Column* Examples::Find(std::string_view name) const {
  for (const Column& column : columns) {
    if (column.name == name) return &column;
  }
  return nullptr;
}

void Examples::Clear() {
  rows = 0;
  for (Column& column : columns) column.Clear();
}

}  // namespace penstock
