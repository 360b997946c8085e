// Standard input or a pipe as a file, for readers that look at a file more than
// once.
#pragma once

#include <cstdio>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "formats/files/status_or.h"

namespace penstock {

// Copied to a temporary file without a name, which goes with this or with the
// process.
class SpooledInput {
 public:
  // Reads standard input to its end.
  // Errors:  kUnavailable where it cannot be read; kResourceExhausted where the
  //          folder of temporary files is full or missing; kCancelled.
  static StatusOr<SpooledInput> Read(const std::stop_token& stop = {});
  // The same of a pipe or device; waits for who writes to it.
  static StatusOr<SpooledInput> ReadFrom(const std::string& path,
                                         const std::stop_token& stop = {});

  // What to open it by, as often as wanted, in this process.
  std::string path() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;
  explicit SpooledInput(File file) : file_(std::move(file)) {}

  static StatusOr<SpooledInput> Copy(int from, const std::string& name,
                                     const std::stop_token& stop);

  File file_;
};

}  // namespace penstock
