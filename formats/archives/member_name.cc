#include "formats/archives/member_name.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>

#include "formats/files/quoted.h"

namespace penstock {
namespace {

bool IsSlash(char c) { return c == '/' || c == '\\'; }

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool HasControlByte(std::string_view name) {
  return std::ranges::any_of(name, [](char c) {
    return static_cast<uint8_t>(c) < ' ' || c == '\x7f';
  });
}

bool HasParentPart(std::string_view name) {
  while (true) {
    const auto end = std::ranges::find_if(name, IsSlash) - name.begin();
    if (name.substr(0, end) == "..") return true;
    if (static_cast<size_t>(end) == name.size()) return false;
    name.remove_prefix(end + 1);
  }
}

// What is wrong with the name; null where nothing is.
const char* Fault(std::string_view name) {
  if (name.empty()) return "is empty";
  if (HasControlByte(name)) return "holds a control byte";
  if (!simdjson::validate_utf8(name.data(), name.size())) return "is not UTF-8";
  if (IsSlash(name[0])) return "is absolute";
  if (name.size() > 1 && IsLetter(name[0]) && name[1] == ':') {
    return "starts with a drive letter";
  }
  if (HasParentPart(name)) return "has a \"..\" part";
  return nullptr;
}

// Without an empty or "." part for certain: no part starts with a dot.
bool IsNormal(std::string_view name) {
  char before = '/';
  for (const char c : name) {
    if (before == '/' && (c == '/' || c == '.')) return false;
    before = c;
  }
  return before != '/';
}

}  // namespace

StatusOr<std::string> NormalMemberName(std::string_view name,
                                       uint64_t max_bytes) {
  if (name.size() > max_bytes) {
    return ResourceExhaustedError(fmt::format(
        "member name {} has {} bytes, more than {}; raise max_name_bytes",
        Quoted(name), name.size(), max_bytes));
  }
  const char* fault = Fault(name);
  if (fault == nullptr && IsNormal(name)) return std::string(name);
  std::string normal;
  for (size_t begin = 0; fault == nullptr && begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (!normal.empty()) normal += '/';
    normal += part;
  }
  if (fault == nullptr && normal.empty()) fault = "is empty";
  if (fault == nullptr) return normal;
  return InvalidArgumentError(
      fmt::format("member name {} {}; pack the archive again without it",
                  Quoted(name), fault));
}

}  // namespace penstock
