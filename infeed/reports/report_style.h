// How a report's page looks.
#pragma once

namespace penstock {

// Colours of ChartPart::color: 0 to 7 are the ledger's buckets, from
// kDepthColor on kDepthColors grow from empty to full.
inline constexpr int kDepthColor = 8;
inline constexpr int kDepthColors = 6;

extern const char kReportStyle[];

}  // namespace penstock
