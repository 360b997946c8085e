// Which shapes have a program, and why each was compiled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/files/status_or.h"
#include "pipeline/contract.h"

namespace penstock {

// What a program depends on.
struct ProgramInput {
  std::string name;
  ElementType type = ElementType::kInt32;
  std::vector<int64_t> shape;

  bool operator==(const ProgramInput&) const = default;
};
using ProgramKey = std::vector<ProgramInput>;

// The key of shape `s` of global batches under `contract`.
ProgramKey KeyOf(const Contract& contract, size_t s);
// "tokens int32 [1024, 128], weights float32 [1024]".
std::string DescribeKey(const ProgramKey& key);

struct CompileEvent {
  uint64_t step = 0;
  std::string program;  // DescribeKey
  // Against the nearest program that was there: "tokens dim 1: 128 -> 256".
  std::string cause;
  int64_t compile_ns = 0;
};

struct CompileCacheOptions {
  // Compiles at most; 0 is any number.
  uint64_t budget = 0;
};

// Threads: one at a time.
class CompileCache {
 public:
  explicit CompileCache(CompileCacheOptions options = {});

  // True where `key` was not seen before: the caller compiles, and the event
  // is noted with `compile_ns`.
  // Errors:  kResourceExhausted where the budget is spent; says the cause.
  StatusOr<bool> NeedsCompile(const ProgramKey& key, uint64_t step,
                              int64_t compile_ns);

  const std::vector<CompileEvent>& events() const { return events_; }

 private:
  const CompileCacheOptions options_;
  std::vector<ProgramKey> programs_;
  std::vector<CompileEvent> events_;
};

}  // namespace penstock
