// tf.train.Example for people: as JSON, and summed up feature by feature.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "formats/files/status_or.h"

namespace penstock {

// The features of a serialized Example as a JSON object: name -> list of
// values. Bytes that are no UTF-8 become {"base64": "..."}.
// Errors:  kDataLoss naming the byte from which on they are no Example.
StatusOr<std::string> ExampleToJson(std::string_view record);

// A serialized SequenceExample: {"context": {name: values}, "feature_lists":
// {name: [values of a step]}}.
// Errors:  kInvalidArgument where the bytes are no SequenceExample.
StatusOr<std::string> SequenceExampleToJson(std::string_view record);

// An Example for people: a line for each feature with its type, its number of
// values and the first `values` of them; of bytes the first 10 * `values`.
StatusOr<std::string> ExampleToText(std::string_view record, uint64_t values);

// What one feature looked like over many rows.
struct FeatureSummary {
  std::string type;  // "bytes", "float", "int64"; "mixed" where rows differ
  uint64_t rows = 0;
  uint64_t values = 0;
  uint64_t min_values = 0;  // in a row that has it
  uint64_t max_values = 0;
  uint64_t bytes = 0;  // of bytes values
};

// Adds a row to the summaries, by feature name.
// Errors:  as ExampleToJson().
Status SummarizeExample(std::string_view record,
                        std::map<std::string, FeatureSummary>& summaries);

}  // namespace penstock
