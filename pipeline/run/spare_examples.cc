#include "pipeline/run/spare_examples.h"

#include <new>
#include <utility>

namespace penstock {

std::shared_ptr<const Examples> SpareExamples::Share(
    std::shared_ptr<SpareExamples> spares, Examples examples) {
  const auto give_back = [spares = std::move(spares)](Examples* used) {
    std::unique_ptr<Examples> back(used);
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
