#include "infeed/devices/compile_cache.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "formats/files/status_or.h"

namespace penstock {
namespace {

const ProgramInput* FindInput(const ProgramKey& key, const std::string& name) {
  for (const ProgramInput& input : key) {
    if (input.name == name) return &input;
  }
  return nullptr;
}

// Appends how one input changed to `differences`.
void CompareInputs(const ProgramInput& before, const ProgramInput& after,
                   std::vector<std::string>& differences) {
  if (before.type != after.type) {
    differences.push_back(fmt::format("{}: {} -> {}", after.name,
                                      ElementTypeName(before.type),
                                      ElementTypeName(after.type)));
  }
  if (before.shape.size() != after.shape.size()) {
    differences.push_back(fmt::format("{}: [{}] -> [{}]", after.name,
                                      fmt::join(before.shape, ", "),
                                      fmt::join(after.shape, ", ")));
    return;
  }
  for (size_t d = 0; d < after.shape.size(); ++d) {
    if (before.shape[d] == after.shape[d]) continue;
    differences.push_back(fmt::format("{} dim {}: {} -> {}", after.name, d,
                                      before.shape[d], after.shape[d]));
  }
}

std::vector<std::string> Compare(const ProgramKey& before,
                                 const ProgramKey& after) {
  std::vector<std::string> differences;
  for (const ProgramInput& input : after) {
    const ProgramInput* old = FindInput(before, input.name);
    if (old == nullptr) {
      differences.push_back(fmt::format("{} is new", input.name));
    } else {
      CompareInputs(*old, input, differences);
    }
  }
  for (const ProgramInput& input : before) {
    if (FindInput(after, input.name) == nullptr) {
      differences.push_back(fmt::format("{} is gone", input.name));
    }
  }
  if (differences.empty()) differences.push_back("the inputs' order");
  return differences;
}

// What differs from the program, of those that are there, that is most alike;
// among equals the latest.
std::string CauseOf(const std::vector<ProgramKey>& programs,
                    const ProgramKey& key) {
  if (programs.empty()) return "first program";
  std::vector<std::string> nearest = Compare(programs.back(), key);
  for (auto program = programs.rbegin() + 1; program != programs.rend();
       ++program) {
    std::vector<std::string> differences = Compare(*program, key);
    if (differences.size() < nearest.size()) nearest = std::move(differences);
  }
  return fmt::format("{}", fmt::join(nearest, "; "));
}

}  // namespace

ProgramKey KeyOf(const Contract& contract, size_t s) {
  ProgramKey key;
  for (size_t t = 0; t < contract.tensors.size(); ++t) {
    key.push_back({.name = contract.tensors[t].name,
                   .type = contract.tensors[t].type,
                   .shape = contract.ShapeOf(t, s, contract.RowsOf(s))});
  }
  return key;
}

std::string DescribeKey(const ProgramKey& key) {
  std::vector<std::string> inputs;
  for (const ProgramInput& input : key) {
    inputs.push_back(fmt::format("{} {} [{}]", input.name,
                                 ElementTypeName(input.type),
                                 fmt::join(input.shape, ", ")));
  }
  return fmt::format("{}", fmt::join(inputs, ", "));
}

CompileCache::CompileCache(CompileCacheOptions options) : options_(options) {}

StatusOr<bool> CompileCache::NeedsCompile(const ProgramKey& key, uint64_t step,
                                          int64_t compile_ns) {
  if (std::ranges::find(programs_, key) != programs_.end()) return false;
  CompileEvent event{.step = step,
                     .program = DescribeKey(key),
                     .cause = CauseOf(programs_, key),
                     .compile_ns = compile_ns};
  if (options_.budget > 0 && programs_.size() >= options_.budget) {
    return ResourceExhaustedError(fmt::format(
        "step {} needs compile number {}, but the budget is {}; cause: {}",
        step, programs_.size() + 1, options_.budget, event.cause));
  }
  programs_.push_back(key);
  events_.push_back(std::move(event));
  return true;
}

}  // namespace penstock
