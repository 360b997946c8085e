// Takes values out of a parsed JSON file and says which key is wrong.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "formats/quoted.h"

namespace penstock {

// An object of the file, and its place in it ("shards[3]", or empty for the
// whole). The first thing wrong is kept, later values come out empty.
class JsonKeys {
 public:
  JsonKeys(const nlohmann::json& object, std::string place,
           absl::Status& defect)
      : object_(object), place_(std::move(place)), defect_(defect) {
    if (!object.is_object()) Refuse("", "is no object");
  }

  bool Has(const char* key) const { return object_.contains(key); }

  std::string Text(const char* key) {
    const nlohmann::json& value = At(key);
    if (!value.is_string()) return Refuse(key, "is no string"), "";
    return value.get<std::string>();
  }
  uint64_t Count(const char* key) {
    const nlohmann::json& value = At(key);
    if (!value.is_number_unsigned()) {
      return Refuse(key, "is no whole number from 0 up"), 0;
    }
    return value.get<uint64_t>();
  }
  // A number of exactly `digits` hexadecimal digits, in a string.
  uint64_t Hex(const char* key, size_t digits) {
    const std::string text = Text(key);
    if (text.size() != digits ||
        text.find_first_not_of("0123456789abcdef") != std::string::npos) {
      Refuse(key, fmt::format("is not {} hexadecimal digits", digits));
      return 0;
    }
    return std::stoull(text, nullptr, 16);
  }
  JsonKeys Object(const char* key) { return {At(key), Place(key), defect_}; }

  // Calls `take(JsonKeys)` for each object of a list.
  template <typename Take>
  void Each(const char* key, Take take) {
    const nlohmann::json& list = At(key);
    if (!list.is_array()) return Refuse(key, "is no list");
    for (size_t i = 0; i < list.size() && defect_.ok(); ++i) {
      take(JsonKeys(list[i], fmt::format("{}[{}]", Place(key), i), defect_));
    }
  }

  void Refuse(const char* key, const std::string& what) {
    if (!defect_.ok()) return;
    const std::string place = Place(key);
    defect_ = absl::DataLossError(
        fmt::format("{} {}", place.empty() ? "the file" : Quoted(place), what));
  }

 private:
  std::string Place(const char* key) const {
    const bool between = !place_.empty() && *key != '\0';
    return place_ + (between ? "." : "") + key;
  }
  const nlohmann::json& At(const char* key) {
    static const nlohmann::json& kNone = *new nlohmann::json;
    if (!object_.is_object()) return kNone;
    const auto found = object_.find(key);
    if (found != object_.end()) return *found;
    Refuse(key, "is missing");
    return kNone;
  }

  const nlohmann::json& object_;
  const std::string place_;
  absl::Status& defect_;
};

}  // namespace penstock
