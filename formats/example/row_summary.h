// What features a serialized Example has, whatever they are called.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/example/examples.h"
#include "formats/files/status_or.h"

namespace penstock {

struct RowFeature {
  std::string_view name;  // of the summarizer
  FeatureType type = FeatureType::kBytes;
  uint64_t values = 0;
  uint64_t bytes = 0;   // of all bytes values together
  bool is_utf8 = true;  // every bytes value
};

// Learns the names as it meets them.
//
// Threads: one at a time.
// Cost:    about a microsecond for a row of a few features.
// Memory:  a few hundred bytes for each name, at most 10,000 names.
class RowSummarizer {
 public:
  RowSummarizer();
  ~RowSummarizer();

  // The features that have a kind, in the order in which their names were first
  // met. Good until the next call.
  // Errors:  kDataLoss for bytes that are no Example; kResourceExhausted for
  //          more names or a record over 2 GiB.
  StatusOr<std::span<const RowFeature>> Summarize(std::string_view record);

 private:
  struct Walker;

  Status Learn(std::string_view record);

  std::vector<std::string> names_;
  std::unique_ptr<Walker> walker_;
  std::vector<RowFeature> features_;
};

}  // namespace penstock
