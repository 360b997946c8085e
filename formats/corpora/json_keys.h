// Takes values out of a parsed JSON file and says which key is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "formats/files/function_ref.h"
#include "formats/files/status_or.h"

namespace penstock {

// Errors:  kDataLoss naming the byte from which on it is not JSON, or the key
//          that comes twice in an object.
StatusOr<nlohmann::json> ParseJson(const std::string& text);

// An object of the file. The first thing wrong is kept as kDataLoss naming its
// place ("shards[3].file"); values that are wrong come out empty.
class JsonKeys {
 public:
  // `place` is where `object` is in the file, empty for all of it. Both
  // references must outlive this.
  JsonKeys(const nlohmann::json& object, std::string place, Status& defect);

  bool Has(const char* key) const;
  std::string Text(const char* key);
  // A whole number from 0 up.
  uint64_t Count(const char* key);
  // A string of exactly `digits` small hexadecimal digits.
  uint64_t Hex(const char* key, size_t digits);
  JsonKeys Object(const char* key);
  // Takes each object of a list.
  void Each(const char* key, FunctionRef<void(JsonKeys)> take);

  // Puts "`place` `what`" on record, unless something was wrong before.
  void Refuse(const char* key, const std::string& what);

 private:
  std::string Place(const char* key) const;
  // A null value where there is none.
  const nlohmann::json& At(const char* key);

  const nlohmann::json& object_;
  const std::string place_;
  Status& defect_;
};

}  // namespace penstock
