#include "pipeline/run/spare_examples.h"

#include <new>
#include <utility>

namespace penstock {
namespace {

size_t MemoryOf(const Examples& examples) {
  size_t bytes = 0;
  const auto add = [&](const auto& values) {
    bytes += values.capacity() * sizeof(values[0]);
  };
  for (const Column& column : examples.columns) {
    add(column.row_offsets);
    add(column.ints);
    add(column.narrow_ints);
    add(column.floats);
    add(column.byte_offsets);
    add(column.bytes);
    add(column.row_steps);
    add(column.step_offsets);
  }
  return bytes;
}

}  // namespace

std::shared_ptr<const Examples> SpareExamples::Share(
    std::shared_ptr<SpareExamples> spares, Examples examples) {
  const auto give_back = [spares = std::move(spares)](Examples* used) {
    std::unique_ptr<Examples> back(used);
    if (MemoryOf(*back) > kMostBytes) return;
    try {
      back->Clear();
      spares->unused_.Return(std::move(back));
    } catch (const std::bad_alloc&) {
      // Then it goes.
    }
  };
  return std::shared_ptr<Examples>(new Examples(std::move(examples)),
                                   give_back);
}

}  // namespace penstock
