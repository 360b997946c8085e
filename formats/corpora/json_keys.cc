#include "formats/corpora/json_keys.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "formats/files/quoted.h"

namespace penstock {

namespace {

// The first key that comes twice in an object.
class TwiceFinder {
 public:
  using Event = nlohmann::json::parse_event_t;

  bool Take(Event event, const nlohmann::json& parsed) {
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key && !twice_) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_.back().insert(key).second) twice_ = key;
    }
    return true;
  }

  const std::optional<std::string>& twice() const { return twice_; }

 private:
  std::vector<std::set<std::string>> open_;  // keys of the objects around
  std::optional<std::string> twice_;
};

}  // namespace

StatusOr<nlohmann::json> ParseJson(const std::string& text) {
  TwiceFinder finder;
  try {
    nlohmann::json json = nlohmann::json::parse(
        text, [&](int, TwiceFinder::Event event, const nlohmann::json& parsed) {
          return finder.Take(event, parsed);
        });
    if (!finder.twice()) return json;
    return DataLossError(
        fmt::format("the key {} comes twice", Quoted(*finder.twice())));
  } catch (const nlohmann::json::parse_error& error) {
    return DataLossError(fmt::format("not JSON from byte {} on", error.byte));
  }
}

JsonKeys::JsonKeys(const nlohmann::json& object, std::string place,
                   Status& defect)
    : object_(object), place_(std::move(place)), defect_(defect) {
  if (!object.is_object()) Refuse("", "is no object");
}

bool JsonKeys::Has(const char* key) const { return object_.contains(key); }

std::string JsonKeys::Text(const char* key) {
  const nlohmann::json& value = At(key);
  if (value.is_string()) return value.get<std::string>();
  Refuse(key, "is no string");
  return "";
}

uint64_t JsonKeys::Count(const char* key) {
  const nlohmann::json& value = At(key);
  if (value.is_number_unsigned()) return value.get<uint64_t>();
  Refuse(key, "is no whole number from 0 up");
  return 0;
}

uint64_t JsonKeys::Hex(const char* key, size_t digits) {
  const std::string text = Text(key);
  if (text.size() == digits &&
      text.find_first_not_of("0123456789abcdef") == std::string::npos) {
    return std::stoull(text, nullptr, 16);
  }
  Refuse(key, fmt::format("is not {} hexadecimal digits", digits));
  return 0;
}

JsonKeys JsonKeys::Object(const char* key) {
  return {At(key), Place(key), defect_};
}

void JsonKeys::Each(const char* key, FunctionRef<void(JsonKeys)> take) {
  const nlohmann::json& list = At(key);
  if (!list.is_array()) return Refuse(key, "is no list");
  for (size_t i = 0; i < list.size() && defect_.ok(); ++i) {
    take(JsonKeys(list[i], fmt::format("{}[{}]", Place(key), i), defect_));
  }
}

void JsonKeys::Refuse(const char* key, const std::string& what) {
  if (!defect_.ok()) return;
  const std::string place = Place(key);
  defect_ = DataLossError(
      fmt::format("{} {}", place.empty() ? "the file" : Quoted(place), what));
}

std::string JsonKeys::Place(const char* key) const {
  const bool between = !place_.empty() && *key != '\0';
  return place_ + (between ? "." : "") + key;
}

const nlohmann::json& JsonKeys::At(const char* key) {
  static const nlohmann::json kNone;
  if (!object_.is_object()) return kNone;
  const auto found = object_.find(key);
  if (found != object_.end()) return *found;
  Refuse(key, "is missing");
  return kNone;
}

}  // namespace penstock
