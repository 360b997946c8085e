// Uses the top floor through the installed package alone.

#include <iostream>

#include "formats/files/file.h"
#include "pipeline/pipeline.h"

int main() {
  const auto corpus = penstock::Dataset::TfRecords("missing.tfrecord")
                          .Parse({{.name = "label", .length = 1}})
                          .Batch({.size = 8});
  const auto pipeline = penstock::Compile(corpus, {.shards = 8});
  std::cout << pipeline.status().message() << "\n";
  return pipeline.status().code() == StatusCode::kNotFound ? 0 : 1;
}
