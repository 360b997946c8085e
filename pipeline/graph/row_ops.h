// What happens to rows between reading and placing, one after the other, and
// which features that makes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "formats/files/status.h"
#include "pipeline/dataset.h"
#include "pipeline/row_function.h"
#include "pipeline/state.h"

namespace penstock {

struct SourceStages;  // pipeline/graph/stages.h
struct Stages;

struct SelectStage {
  std::vector<std::string> names;
};

struct MapStage {
  MapOptions options;
  MapFunction function;
};

struct FilterStage {
  FilterOptions options;
  FilterFunction function;
};

struct FlatMapStage {
  FlatMapOptions options;
  FlatMapFunction function;
};

using RowOp = std::variant<SelectStage, RenameOptions, ConstantOptions,
                           MapStage, FilterStage, FlatMapStage>;

// Adds what `op` does to the features of a source's rows.
// Errors:  kInvalidArgument saying what to change.
Status ApplyRowOp(const RowOp& op, SourceStages& source);

// What only the data tells of which rows there are, by the first function that
// does so: "Filter "short" leaves out rows"; empty where the records tell all.
std::string DecidesRows(const Stages& stages);

// The name of the first function that may change how many values a row has;
// empty where none does.
std::string ChangesLengths(const Stages& stages);

// Adds a part for each operation.
void AddRowOpParts(const Stages& stages, std::vector<StatePart>& parts);

}  // namespace penstock
