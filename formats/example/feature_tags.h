// The tags of tf.train.Example's fields on the wire: field number << 3 | 2, as
// each of them has a length. Source: tensorflow/core/example/example.proto and
// feature.proto.
#pragma once

namespace penstock::feature_tags {

inline constexpr char kFeatures = 0x0a;      // in Example
inline constexpr char kContext = 0x0a;       // in SequenceExample
inline constexpr char kFeatureLists = 0x12;  // in SequenceExample
inline constexpr char kStep = 0x0a;          // in FeatureList
inline constexpr char kEntry = 0x0a;         // in Features, FeatureLists
inline constexpr char kKey = 0x0a;           // in an entry
inline constexpr char kValue = 0x12;         // in an entry
inline constexpr char kBytesList = 0x0a;     // in Feature
inline constexpr char kFloatList = 0x12;     // in Feature
inline constexpr char kInt64List = 0x1a;     // in Feature
inline constexpr char kChunk = 0x0a;         // a bytes value, or packed values

}  // namespace penstock::feature_tags
