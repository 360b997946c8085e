// The checks of a graph's options, one for each group of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status.h"
#include "pipeline/graph/stages.h"

namespace penstock {

inline constexpr char kRowMaskName[] = "row_mask";
// "tokens" -> "tokens_lengths".
std::string LengthsName(const std::string& feature);

// "label" -> "label_present".
std::string PresenceName(const std::string& feature);

// "source 1 (b.tfrecord@4)": its number and its pattern without folders.
std::string SourceName(const Stages& stages, size_t source);

// What Tokenize makes.
Feature TokenizedFeature(const TokenizeOptions& options);

// Of sources without Parse: the features that later stages name.
void NameFeatures(Stages& stages);

// Null where there is none of that name.
const Feature* FindFeature(const std::vector<Feature>& features,
                           const std::string& name);
// With commas between them.
std::string FeatureNames(const std::vector<Feature>& features);
// Of one feature by itself.
Status CheckFeature(const Feature& feature);

// Each fills in what the next one reads.
// Errors:  kInvalidArgument saying what to change.
// Sets `batched`, of which the features of all sources get the order.
Status CheckSources(Stages& stages);
Status CheckFeatures(const Stages& stages);
Status CheckArranging(const Stages& stages);
Status CheckBatch(const Stages& stages);

// What is of the rows of all hosts, and so not of a host's own share: the name
// of one such option, or null.
const char* OfAllHosts(const Stages& stages);

}  // namespace penstock
