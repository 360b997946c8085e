// Patterns of file names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/files/file.h"
#include "formats/files/status_or.h"

namespace penstock {

// Whether it has "*" or "?".
bool IsGlob(std::string_view pattern);

// Whether `name`, one part of a path, matches: "*" is any bytes, "?" is one.
// Cost:  O(name * pattern) at worst.
bool NameMatches(std::string_view name, std::string_view pattern);

// The same, but that a hidden name, and one that ends with ".index", is taken
// only where the pattern begins or ends so, too.
bool NameIsTaken(std::string_view name, std::string_view pattern);

// Whether `path` matches part by part; a part "**" is any number of parts, none
// too.
bool PathMatches(std::string_view path, std::string_view pattern);

// The files that match, sorted bytewise; a folder that is linked is read once
// where "**" meets it. No hidden file or folder, and no ".index", but where the
// part that names it begins with "." or ends with ".index".
// Errors:  kNotFound where a folder or all matches are missing; those of
//          FileSystem::List.
StatusOr<std::vector<std::string>> FindMatches(FileSystem& files,
                                               std::string_view pattern);

}  // namespace penstock
