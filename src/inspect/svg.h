#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace cavs::inline v0_1 {

/// What all charts have in common. Colours of text and lines, and the place of the title.
namespace svg {
inline constexpr std::string_view kAxis = "#6b7280", kGrid = "#e5e7eb", kInk = "#374151";
inline constexpr double kTitleLine = 32;
inline constexpr int kIntervals = 5;  // of every axis, so that both share their lines
}  // namespace svg

/// An SVG document on white, drawn piece by piece. Pixels, from the upper left corner.
class Svg {
 public:
  Svg(double width, double height);

  template <typename... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }
  void title(double x, std::string_view words);
  /// `anchor`: start, middle or end. `attributes`: more of them, with a space before each.
  void text(double x, double y, std::string_view anchor, std::string_view colour, std::string_view words,
            std::string_view attributes = "");
  void horizontal(double y, double left, double right, std::string_view colour);

  /// The document; the object is then empty.
  std::string finish();

 private:
  std::string out_;
};

/// Text as it may stand in XML, inside an element or a quoted attribute.
std::string escape_xml(std::string_view text);

/// The least round number (1, 2, 2.5, 4 or 5 times a power of ten) that is not below `min` > 0.
double round_up(double min);

}  // namespace cavs::inline v0_1
