// Host 0's own way to its meeting, within one process.
#pragma once

#include "pipeline/groups/link.h"
#include "pipeline/groups/meeting.h"

namespace penstock {

// `meeting` must outlive the links. Frames go both ways on one thread of each
// link's own.
Connect ConnectWithin(Meeting& meeting);

}  // namespace penstock
