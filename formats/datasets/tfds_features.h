// features.json of a TensorFlow Datasets folder: which features its Examples
// have. docs/formats/tfds.md lists what is read and written.
//
// Source:  tensorflow_datasets/core/proto/feature.proto and
//          core/example_serializer.py.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "formats/example/feature_spec.h"
#include "formats/files/status_or.h"

namespace penstock {

// One spec for each feature that lies in an Example; those inside others have
// names such as "answers/text".
// Errors:  kDataLoss for text that is no features.json, naming the place;
//          kUnimplemented naming a feature of a type that is not known.
StatusOr<std::vector<FeatureSpec>> ReadTfdsFeatures(const std::string& text);

// The text for these features, the same for the same ones.
std::string WriteTfdsFeatures(std::span<const FeatureSpec> specs);

}  // namespace penstock
