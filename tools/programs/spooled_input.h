// Standard input as a file, for readers that look at a file more than once.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "formats/files/status_or.h"

namespace penstock {

// Copied to a temporary file without a name, which goes with this or with the
// process.
class SpooledInput {
 public:
  // Reads standard input to its end.
  // Errors:  kUnavailable where it cannot be read; kResourceExhausted where the
  //          folder of temporary files is full or missing.
  static StatusOr<SpooledInput> Read();

  // What to open it by, as often as wanted, in this process.
  std::string path() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit SpooledInput(std::FILE* file) : file_(file) {}

  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace penstock
