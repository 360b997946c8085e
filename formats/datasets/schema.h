// Which features the rows of a dataset have, inferred from them, and a text
// form of that: docs/formats/schema.md.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "formats/example/examples.h"
#include "formats/example/row_summary.h"
#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"

namespace penstock {

struct SchemaFeature {
  FeatureType type = FeatureType::kBytes;
  uint64_t rows = 0;  // that have it
  uint64_t min_values = 0;
  uint64_t max_values = 0;
  bool is_utf8 = true;  // of bytes: every value
  // Where it was met first, or the line of a schema's text. For messages.
  std::string place = {};
};

struct Schema {
  uint64_t rows = 0;
  std::map<std::string, SchemaFeature, std::less<>> features;

  // Counts a row in; `locate` names it.
  // Errors:  kInvalidArgument for a feature that had another type before,
  //          naming both places; the row is not counted then.
  Status Add(std::span<const RowFeature> row,
             FunctionRef<std::string()> locate);
  // Counts in the rows of `other`. Errors:  as Add().
  Status Merge(const Schema& other);

  // Whether a row has what this asks for: the features that every row has,
  // types, numbers of values, UTF-8, and no feature that is not listed.
  // Errors:  kInvalidArgument naming the feature, and the place it is from.
  Status Check(std::span<const RowFeature> row) const;

  // The same text for the same schema; without places.
  std::string ToText() const;
  // `file` names the text in messages.
  // Errors:  kDataLoss naming the line; kUnimplemented for a later version.
  static StatusOr<Schema> FromText(std::string_view text,
                                   std::string_view file);
};

}  // namespace penstock
