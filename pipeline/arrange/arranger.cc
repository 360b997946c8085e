#include "pipeline/arrange/arranger.h"

#include <utility>

namespace penstock {

std::unique_ptr<Arranger> MakeArranger(ArrangeOptions options) {
  return options.one_queue ? MakePadArranger(std::move(options))
                           : MakeBucketArranger(std::move(options));
}

}  // namespace penstock
