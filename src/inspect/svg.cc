#include "inspect/svg.h"

#include <cmath>

namespace cavs::inline v0_1 {

Svg::Svg(double width, double height) {
  add("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} {1:g}\" "
      "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\" font-size=\"13\">\n",
      width, height);
  add("<rect width=\"{:g}\" height=\"{:g}\" fill=\"#ffffff\"/>\n", width, height);
}

void Svg::title(double x, std::string_view words) {
  add("<text x=\"{:g}\" y=\"{:g}\" fill=\"#111827\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", x,
      svg::kTitleLine, escape_xml(words));
}

void Svg::text(double x, double y, std::string_view anchor, std::string_view colour, std::string_view words,
               std::string_view attributes) {
  add("<text x=\"{:g}\" y=\"{:g}\" text-anchor=\"{}\" fill=\"{}\"{}>{}</text>\n", x, y, anchor, colour, attributes,
      escape_xml(words));
}

void Svg::horizontal(double y, double left, double right, std::string_view colour) {
  add("<path d=\"M{:g} {:g}H{:g}\" stroke=\"{}\"/>\n", left, y, right, colour);
}

std::string Svg::finish() {
  out_ += "</svg>\n";
  return std::move(out_);
}

std::string escape_xml(std::string_view text) {
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
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;  // XML knows no control characters
  }
  return out;
}

double round_up(double min) {
  const double power = std::pow(10, std::floor(std::log10(min)));
  for (double factor : {1.0, 2.0, 2.5, 4.0, 5.0})
    if (factor * power >= min * (1 - 1e-12)) return factor * power;
  return 10 * power;
}

}  // namespace cavs::inline v0_1
