#include "infeed/reports/html_charts.h"

#include <fmt/format.h>

#include <iterator>

namespace penstock {

std::string HtmlText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string ChartLegend(const std::vector<ChartPart>& parts) {
  std::string html = "<p class=\"legend\">";
  for (const ChartPart& part : parts) {
    html += fmt::format("<span><i class=\"c{}\"></i>{}</span> ", part.color,
                        HtmlText(part.name));
  }
  return html + "</p>\n";
}

std::string LyingBars(const std::vector<ChartPart>& parts,
                      const std::vector<ChartBar>& bars, double whole) {
  std::string html = "<div class=\"bars\">\n";
  for (const ChartBar& bar : bars) {
    html += fmt::format("<b>{}</b><div class=\"bar\">", HtmlText(bar.label));
    for (size_t p = 0; p < parts.size(); ++p) {
      if (bar.values[p] <= 0 || whole <= 0) continue;
      const double percent = 100 * bar.values[p] / whole;
      html += fmt::format(
          "<i class=\"c{}\" style=\"width:{:.3f}%\" title=\"{}: {:.2f} %\">"
          "</i>",
          parts[p].color, percent, HtmlText(parts[p].name), percent);
    }
    html += fmt::format("</div><span>{}</span>\n", HtmlText(bar.note));
  }
  return html + "</div>\n";
}

std::string Columns(const std::vector<ChartPart>& parts,
                    const std::vector<ChartBar>& columns) {
  std::string html = fmt::format(
      "<svg class=\"columns\" viewBox=\"0 0 {} 100\" "
      "preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" "
      "role=\"img\">\n",
      columns.size());
  for (size_t c = 0; c < columns.size(); ++c) {
    html += fmt::format("<g><title>{}</title>", HtmlText(columns[c].label));
    double top = 100;
    for (size_t p = 0; p < parts.size(); ++p) {
      const double height = 100 * columns[c].values[p];
      if (height <= 0) continue;
      top -= height;
      fmt::format_to(std::back_inserter(html),
                     "<rect class=\"c{}\" x=\"{}\" y=\"{:.2f}\" "
                     "width=\"1\" height=\"{:.2f}\"/>",
                     parts[p].color, c, top, height);
    }
    html += "</g>\n";
  }
  return html + "</svg>\n";
}

}  // namespace penstock
