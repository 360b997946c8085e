// Takes the documents out of records that are tf.train.Examples.
#pragma once

#include <memory>
#include <string>

#include "formats/records/bad_part.h"
#include "formats/records/record_reader.h"

namespace penstock {

struct ExampleTextOptions {
  // The feature that holds the document, in one bytes value.
  std::string feature = "text";
  // Looks at the first record that is not empty; where it is no Example with
  // features, all records are given as they are.
  bool only_of_examples = false;
  OnBadPart on_bad_part = nullptr;
};

// The documents in `records`, located as those are. The whole of each record is
// validated.
// Errors:  those of `records`; kDataLoss for a record that is no Example;
//          kInvalidArgument for one without the feature, naming those it has,
//          and for a feature that is not one bytes value.
std::unique_ptr<RecordReader> ReadExampleText(
    std::unique_ptr<RecordReader> records, ExampleTextOptions options);

}  // namespace penstock
