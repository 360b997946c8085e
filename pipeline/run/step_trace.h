// A step of a plan in words that users know.
#pragma once

#include "pipeline/arrange/steps.h"
#include "pipeline/build/rows.h"
#include "pipeline/trace.h"

namespace penstock {

StepTrace TraceOf(const Step& step, const Locate& locate);

}  // namespace penstock
