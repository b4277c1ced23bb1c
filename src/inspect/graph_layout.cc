#include "inspect/graph_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/check.h"
#include "support/svg.h"

namespace cavs::inline v0_1 {
namespace {

constexpr double kColumn = 34, kRow = 48, kTitleSpace = 60, kGap = 24;

}  // namespace

/// Returns a colour whose hue is the golden angle times the number; its lightness alternates.
std::string light_colour(std::size_t number) {
  const double hue = std::fmod(static_cast<double>(number) * 137.50776, 360), lightness = number % 2 == 0 ? 0.8 : 0.68;
  const auto channel = [&](double n) {  // converts HSL with saturation 0.7 to one channel of RGB
    const double k = std::fmod(n + hue / 30, 12), a = 0.7 * std::min(lightness, 1 - lightness);
    return static_cast<int>(std::lround(255 * (lightness - a * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

GraphLayout::GraphLayout(const Minibatch& m) : x(m.vertices()), y(m.vertices()), width(kMargin) {
  user_check(m.vertices() <= kMaxDrawn,
             "a drawing has at most {} vertices, but the minibatch has {}; draw fewer samples", kMaxDrawn,
             m.vertices());
  const std::int32_t top = *std::max_element(m.levels.begin(), m.levels.end());
  height = kTitleSpace + kRow * top + 2 * kMargin;
  for (std::size_t s = 0; s < m.samples.size(); ++s) {
    std::vector<std::vector<std::int32_t>> levels(top + 1);
    for (std::int32_t v = m.vertex_begin[s]; v < m.vertex_begin[s + 1]; ++v) levels[m.levels[v]].push_back(v);
    std::size_t widest = 0;
    for (const auto& level : levels) widest = std::max(widest, level.size());
    const double all = kColumn * static_cast<double>(widest);
    const auto middle = [&](std::int32_t v) {
      double sum = 0, count = 0;
      for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
        if (m.children[k] >= 0) {
          sum += x[m.children[k]];
          ++count;
        }
      return count > 0 ? sum / count : 0;
    };
    for (auto& level : levels) {
      std::ranges::stable_sort(level, {}, middle);
      for (std::size_t i = 0; i < level.size(); ++i) {
        x[level[i]] = width + all * (static_cast<double>(i) + 0.5) / static_cast<double>(level.size());
        y[level[i]] = height - kMargin - kRow * m.levels[level[i]];
      }
    }
    width += all + kGap;
  }
  width += kMargin - kGap;
}

std::string draw_vertices(const Minibatch& m, const std::string& title,
                          const std::function<VertexLook(std::int32_t v)>& look) {
  const GraphLayout at(m);
  constexpr double kMargin = GraphLayout::kMargin, kRadius = GraphLayout::kRadius;
  Svg svg(std::max(at.width, 2 * kMargin + 9 * static_cast<double>(title.size())), at.height);
  svg.title(kMargin, title);
  each_drawn_edge(m, [&](std::int32_t child, std::int32_t v) {
    svg.add("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", at.x[child], at.y[child], at.x[v], at.y[v],
            svg::kAxis);
  });
  for (std::int32_t v = 0; v < m.vertices(); ++v) {
    const VertexLook l = look(v);
    svg.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"><title>{}</title></circle>\n",
            at.x[v], at.y[v], kRadius, l.colour, svg::kInk, escape_xml(l.hint));
    svg.text(at.x[v], at.y[v] + 3.5, "middle", svg::kInk, l.inside, " font-size=\"10\"");
    if (l.below) svg.text(at.x[v], at.y[v] + kRadius + 11, "middle", svg::kInk, *l.below, " font-size=\"10\"");
  }
  return svg.finish();
}

}  // namespace cavs::inline v0_1
