#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pack/minibatch.h"

namespace cavs::inline v0_1 {

inline constexpr std::int32_t kMaxDrawn = 1000;  // vertices or values in a drawing; more would be unreadable

/// Positions of a minibatch's vertices in a drawing, in pixels: samples side by side, one row per level, leaves at the
/// bottom. Vertices of a level are sorted by the middle of their children.
struct GraphLayout {
  static constexpr double kRadius = 12, kMargin = 30;  // radius of a vertex and margin of the drawing, in pixels

  std::vector<double> x, y;  // [V] middle of the vertex' circle
  double width = 0, height = 0;

  /// @throws UserError for more than kMaxDrawn vertices.
  explicit GraphLayout(const Minibatch& minibatch);
};

/// Colour and texts of a vertex in a drawing.
struct VertexLook {
  std::string colour, hint, inside;       // hint: shown when the mouse is over the circle; inside: text in the circle
  std::optional<std::string> below = {};  // text below the circle
};
/// Returns an SVG of a minibatch: edges from child to parent, and a circle for each vertex.
std::string draw_vertices(const Minibatch& minibatch, const std::string& title,
                          const std::function<VertexLook(std::int32_t v)>& look);

/// Calls f(child, parent) for every edge of a minibatch.
template <typename F>
void each_drawn_edge(const Minibatch& m, F f) {
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
      if (m.children[k] >= 0) f(m.children[k], v);
}

/// Returns a light colour, "#rrggbb". Colours of neighbouring numbers differ clearly.
std::string light_colour(std::size_t number);

}  // namespace cavs::inline v0_1
