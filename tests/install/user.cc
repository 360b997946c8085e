// Uses the top floor through the installed package alone.

#include <cstdio>

#include "penstock/formats/files/status.h"
#include "penstock/pipeline/pipeline.h"

int main() {
  const auto corpus = penstock::Dataset::TfRecords("missing.tfrecord")
                          .Parse({{.name = "label", .length = 1}})
                          .Batch({.size = 8});
  const auto pipeline = penstock::Compile(corpus, {.shards = 8});
  std::puts(pipeline.status().ToString().c_str());
  return penstock::IsNotFound(pipeline.status()) ? 0 : 1;
}
