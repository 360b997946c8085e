#include "tools/datagen/conversion_json.h"

#include <nlohmann/json.hpp>

namespace penstock {

std::string ConversionJson(const ConversionOptions& options,
                           const ConversionResult& result) {
  using Json = nlohmann::ordered_json;
  Json json = {{"dataset", result.pattern},
               {"manifest", result.manifest},
               {"documents", result.documents},
               {"text_bytes", result.text_bytes},
               {"records", result.records}};
  if (options.tokenizer != nullptr) json["tokens"] = result.tokens;
  if (result.no_tfds.empty()) {
    json["dataset_info"] = options.output + "/dataset_info.json";
  } else {
    json["no_dataset_info"] = result.no_tfds;
  }
  json["left_out"] = {{"places", result.losses.places},
                      {"bytes", result.losses.bytes},
                      {"first", result.losses.named},
                      {"files", result.input.skipped.size()}};
  for (const auto& [what, kind] : result.losses.left_out) {
    json["left_out"]["members"][what] = {{"count", kind.count},
                                         {"first", kind.first}};
  }
  json["repeated_files"] = {{"files", result.input.repeated},
                            {"first", result.input.first_repeated}};
  json["repeated_fields"] = {{"lines", result.losses.repeated_fields.count},
                             {"first", result.losses.repeated_fields.first}};
  json["empty_files"] = {{"files", result.losses.empty_files},
                         {"first", result.losses.first_empty}};
  // File names may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
