// Numbers in JSON, as serde_json reads them.
#pragma once

namespace penstock {

// The number `exact` as the reference reads it, which is not always the nearest
// double: its digits as a whole number, rounded, then times or over a power of
// ten, rounded again. Where two paths are all but equal, this decides. Assumes
// that the file has the shortest digits that tell the number apart, as the
// reference's own files do.
double AsReferenceReads(double exact);

}  // namespace penstock
