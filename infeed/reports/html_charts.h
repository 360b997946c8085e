// Charts as HTML and SVG that need no scripts; report_style.cc has their
// colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

// Text for HTML: its own signs are replaced.
std::string HtmlText(std::string_view text);

// What a colour stands for; the colour is the class "c0", "c1" ...
struct ChartPart {
  std::string name;
  int color = 0;
};

struct ChartBar {
  std::string label;
  std::vector<double> values;  // [parts]
  std::string note;            // behind the bar
};

// A line of what the colours stand for.
std::string ChartLegend(const std::vector<ChartPart>& parts);

// Lying bars, each cut into its parts; `whole` is as wide as the chart.
std::string LyingBars(const std::vector<ChartPart>& parts,
                      const std::vector<ChartBar>& bars, double whole);

// Standing columns without gaps from left to right, each cut into its parts
// from below; 1 is as high as the chart. What the pointer is on says its label.
std::string Columns(const std::vector<ChartPart>& parts,
                    const std::vector<ChartBar>& columns);

}  // namespace penstock
