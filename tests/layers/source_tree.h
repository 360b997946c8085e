// The sources of the floors and their include lines, as the tests of the
// house's order read them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace penstock::testing {

// A floor: its rooms and the files at its root, from the ground up. A file
// includes what is in its own place or before it. A root source, which makes
// the whole floor out of its rooms, includes any of them.
struct Floor {
  std::string name;
  std::vector<std::string> places;
};

// From the ground up.
const std::vector<Floor>& Floors();

// Every .h and .cc of the floors with our own includes in it, by path.
const std::map<std::string, std::vector<std::string>>& Includes();

// "formats" of "formats/files/file.h".
std::string FloorOf(const std::string& path);
// "files" of "formats/files/file.h"; "open" of "formats/open.cc".
std::string PlaceOf(const std::string& path);
// Its number from the ground up, or -1 where it is none.
int FloorNumber(const std::string& path);
int PlaceNumber(const std::string& path);
bool IsAtRoot(const std::string& path);
std::string WithoutExtension(const std::string& path);

// The headers that docs/api.md lists, by path.
std::vector<std::string> PublicHeaders();

}  // namespace penstock::testing
