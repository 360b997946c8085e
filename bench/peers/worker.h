// Jobs that the driver of a comparison asks for by name, over a pipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace penstock::peers {

// Records gathered at once.
inline constexpr size_t kGathered = 1024;
// Examples parsed again and again: as fresh from a file as in a pipeline.
inline constexpr size_t kParsed = 2048;

// What one pass over a file did.
struct Work {
  uint64_t records = 0;
  uint64_t bytes = 0;
};

// Does the whole job once with the file of that path; exits where it cannot.
using Job = std::function<Work(const std::string& path)>;
using Jobs = std::map<std::string, Job>;

// What Penstock does.
Jobs PenstockJobs();
// The same with nothing around the loop: what the machine allows.
Jobs BareJobs();

// Writes the files that C++ makes into a folder, if they are not there.
void MakeFiles(const std::string& folder);

// Ends the program with words.
[[noreturn]] void Fail(const std::string& why);

}  // namespace penstock::peers
