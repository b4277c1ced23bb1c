#pragma once

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace cavs::inline v0_1 {

/// Properties that all charts share: colours of text and lines, and the position of the title.
namespace svg {
inline constexpr std::string_view kAxis = "#6b7280", kGrid = "#e5e7eb", kInk = "#374151";
inline constexpr double kTitleLine = 32;
inline constexpr int kIntervals = 5;  // number of intervals between grid lines, the same for every axis
}  // namespace svg

/// Escapes text for an XML element or a quoted attribute.
inline std::string escape_xml(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML does not allow control characters
  }
  return out;
}

/// Builds an SVG document on a white background. Coordinates are pixels from the upper left corner.
class Svg {
 public:
  Svg(double width, double height) {
    add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
        "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"13\">\n",
        width, height);
    add("<rect width=\"{:g}\" height=\"{:g}\" fill=\"#ffffff\"/>\n", width, height);
  }

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void title(double x, std::string_view words) {
    add("<text x=\"{:g}\" y=\"{:g}\" fill=\"#111827\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", x,
        svg::kTitleLine, escape_xml(words));
  }
  /// Adds a text. `anchor` is "start", "middle" or "end": the part of the text that is at x. `attributes` has further
  /// attributes of the element, each with a leading space.
  void text(double x, double y, std::string_view anchor, std::string_view colour, std::string_view words,
            std::string_view attributes = "") {
    add("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, anchor, colour, attributes,
        escape_xml(words));
  }
  void horizontal(double y, double left, double right, std::string_view colour) {
    add("<path d=\"M{:g} {:g}H{:g}\" stroke=\"{}\"/>\n", left, y, right, colour);
  }

  /// Returns the document, and leaves the object empty.
  std::string finish() {
    out_ += "</svg>\n";
    return std::move(out_);
  }

 private:
  std::string out_;
};

/// Returns the smallest round number (1, 2, 2.5, 4 or 5 times a power of ten) that is at least `min` > 0.
inline double round_up(double min) {
  const double power = std::pow(10, std::floor(std::log10(min)));
  for (double factor : {1.0, 2.0, 2.5, 4.0, 5.0})
    if (factor * power >= min * (1 - 1e-12)) return factor * power;
  return 10 * power;
}

}  // namespace cavs::inline v0_1
