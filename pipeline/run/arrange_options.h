// What a graph tells the arranger.
#pragma once

#include "pipeline/arrange/arranger.h"
#include "pipeline/build/source_decoders.h"
#include "pipeline/graph/stages.h"

namespace penstock {

// Without a limit of what waits.
ArrangeOptions ArrangeOf(const Stages& stages, const SourceDecoders& decoder);

}  // namespace penstock
