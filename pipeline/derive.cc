#include "pipeline/derive.h"

#include <utility>

namespace penstock {
namespace {

Derived Make(Derivation kind, std::string of, std::string to,
             const char* suffix) {
  if (to.empty()) to = of + suffix;
  return {.kind = kind, .of = std::move(of), .name = std::move(to)};
}

}  // namespace

Derived SegmentIds(std::string of, std::string to) {
  return Make(Derivation::kSegmentIds, std::move(of), std::move(to),
              "_segment_ids");
}

Derived SegmentLengths(std::string of, int64_t most, std::string to) {
  Derived made = Make(Derivation::kSegmentLengths, std::move(of), std::move(to),
                      "_segment_lengths");
  made.most = most;
  return made;
}

Derived Positions(std::string of, PositionsOptions options) {
  Derived made = Make(Derivation::kPositions, std::move(of),
                      std::move(options.to), "_positions");
  made.positions_in = options.in;
  return made;
}

Derived Labels(std::string of, LabelsOptions options) {
  Derived made = Make(Derivation::kLabels, std::move(of), std::move(options.to),
                      "_labels");
  made.ignore = options.ignore;
  made.piece_end = options.piece_end;
  return made;
}

Derived LossWeights(std::string of, LossWeightsOptions options) {
  Derived made = Make(Derivation::kLossWeights, std::move(of),
                      std::move(options.to), "_loss_weights");
  made.prompt = std::move(options.prompt);
  made.piece_end = options.piece_end;
  return made;
}

}  // namespace penstock
