#include "pipeline/seed.h"

#include "pipeline/fingerprint.h"

namespace penstock {

uint64_t HashSeed(uint64_t seed, uint64_t epoch, SeedStage stage,
                  uint64_t dataset_fingerprint) {
  return Fingerprinter()
      .Add(seed)
      .Add(epoch)
      .Add(static_cast<uint64_t>(stage))
      .Add(dataset_fingerprint)
      .value();
}

}  // namespace penstock
