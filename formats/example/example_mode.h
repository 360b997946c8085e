// What to make of bytes that protobuf and TensorFlow read differently.
#pragma once

namespace penstock {

// docs/formats/example.md lists every such input. Bytes that are no Example to
// protobuf are refused in both modes.
enum class ExampleMode {
  kLax,     // takes protobuf's meaning
  kStrict,  // refuses them
};

}  // namespace penstock
