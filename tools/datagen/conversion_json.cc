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
                      {"files_or_members", result.skipped},
                      {"first_file_or_member", result.first_skipped}};
  json["repeated_fields"] = {{"lines", result.repeated_fields},
                             {"first", result.first_repeated}};
  json["empty_files"] = {{"files", result.losses.empty_files},
                         {"first", result.losses.first_empty}};
  // File names may hold any bytes.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
