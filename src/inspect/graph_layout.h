#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pack/minibatch.h"

namespace cavs::inline v0_1 {

inline constexpr std::int32_t kMaxDrawn = 1000;  // vertices, so that a drawing can be read

/// Where the vertices of a minibatch stand in a drawing, in pixels: samples side by side, a row a level, leaves at the
/// bottom; in a level vertices stand in the order of their children's middle.
struct GraphLayout {
  static constexpr double kRadius = 12, kMargin = 30;  // of a vertex; around the drawing

  std::vector<double> x, y;  // [V]
  double width = 0, height = 0;

  /// @throws UserError for more than kMaxDrawn vertices.
  explicit GraphLayout(const Minibatch& minibatch);
};

/// How a vertex is drawn.
struct VertexLook {
  std::string colour, hint, inside;       // hint: where a pointer rests on it; inside: a text
  std::optional<std::string> below = {};  // a text
};
/// An SVG of a minibatch: edges from child to parent, a circle for each vertex.
std::string draw_vertices(const Minibatch& minibatch, const std::string& title,
                          const std::function<VertexLook(std::int32_t v)>& look);

/// Calls f(child, parent) for every edge of a minibatch.
template <typename F>
void each_drawn_edge(const Minibatch& m, F f) {
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
      if (m.children[k] >= 0) f(m.children[k], v);
}

/// One of many light colours, "#rrggbb", of which neighbours never look alike.
std::string light_colour(std::size_t number);

}  // namespace cavs::inline v0_1
