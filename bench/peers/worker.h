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
  // Of jobs whose output is compared: how many values came out, and their sum.
  uint64_t values = 0;
  uint64_t sum = 0;
};

// Does the whole job once with the file of that path; exits where it cannot.
using Job = std::function<Work(const std::string& path)>;
using Jobs = std::map<std::string, Job>;

// What a program can do, and the files that it makes in a folder, if they are
// not there. Each program has its own.
Jobs AllJobs();
void MakeFiles(const std::string& folder);

// Of formats_peer: with nothing around the loop, what the machine allows.
Jobs BareJobs();

// Ends the program with words.
[[noreturn]] void Fail(const std::string& why);

}  // namespace penstock::peers
