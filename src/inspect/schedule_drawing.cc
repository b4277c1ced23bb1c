#include "inspect/schedule_drawing.h"

#include <algorithm>
#include <cmath>

#include "inspect/svg.h"
#include "support/check.h"

namespace cavs {
namespace {

constexpr double kColumn = 34, kRow = 48, kRadius = 12, kMargin = 30, kTitleSpace = 60, kGap = 24;

void check_size(const Minibatch& m) {
  user_check(m.vertices() <= kMaxDrawn, "a drawing has at most {} vertices, the minibatch {}; draw fewer samples",
             kMaxDrawn, m.vertices());
}

/// A step of the golden angle from task to task, so that neighbours never look alike, and a step of lightness in turn.
std::string colour_of(std::size_t task) {
  const double hue = std::fmod(static_cast<double>(task) * 137.50776, 360), lightness = task % 2 == 0 ? 0.8 : 0.68;
  const auto channel = [&](double n) {  // from HSL with saturation 0.7
    const double k = std::fmod(n + hue / 30, 12), a = 0.7 * std::min(lightness, 1 - lightness);
    return static_cast<int>(std::lround(255 * (lightness - a * std::clamp(std::min(k - 3, 9 - k), -1.0, 1.0))));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", channel(0), channel(8), channel(4));
}

std::vector<std::size_t> task_of_vertices(const ScheduleDrawing& d) {
  std::vector<std::size_t> task_of(d.minibatch.vertices());
  for (std::size_t task = 0; task < d.schedule.tasks.size(); ++task) {
    const Task& t = d.schedule.tasks[task];
    for (std::int32_t r = t.begin; r < t.end; ++r) task_of[d.schedule.vertex[d.schedule.type_begin[t.type] + r]] = task;
  }
  return task_of;
}

template <typename F>
void each_edge(const Minibatch& m, F f) {
  for (std::int32_t v = 0; v < m.vertices(); ++v)
    for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
      if (m.children[k] >= 0) f(m.children[k], v);
}

struct Layout {
  std::vector<double> x, y;
  double width = kMargin, height = 0;
};

/// Places each sample's levels from below; in a level vertices stand in the order of their children's middle.
Layout lay_out(const Minibatch& m) {
  Layout at{.x = std::vector<double>(m.vertices()), .y = std::vector<double>(m.vertices())};
  const std::int32_t top = *std::max_element(m.levels.begin(), m.levels.end());
  at.height = kTitleSpace + kRow * top + 2 * kMargin;
  for (std::size_t s = 0; s < m.samples.size(); ++s) {
    std::vector<std::vector<std::int32_t>> levels(top + 1);
    for (std::int32_t v = m.vertex_begin[s]; v < m.vertex_begin[s + 1]; ++v) levels[m.levels[v]].push_back(v);
    std::size_t widest = 0;
    for (const auto& level : levels) widest = std::max(widest, level.size());
    const double width = kColumn * static_cast<double>(widest);
    const auto middle = [&](std::int32_t v) {
      double sum = 0, count = 0;
      for (std::int32_t k = m.child_begin[v]; k < m.child_begin[v + 1]; ++k)
        if (m.children[k] >= 0) sum += at.x[m.children[k]], ++count;
      return count > 0 ? sum / count : 0;
    };
    for (auto& level : levels) {
      std::ranges::stable_sort(level, {}, middle);
      for (std::size_t i = 0; i < level.size(); ++i) {
        at.x[level[i]] = at.width + width * (static_cast<double>(i) + 0.5) / static_cast<double>(level.size());
        at.y[level[i]] = at.height - kMargin - kRow * m.levels[level[i]];
      }
    }
    at.width += width + kGap;
  }
  at.width += kMargin - kGap;
  return at;
}

}  // namespace

std::string to_dot(const ScheduleDrawing& drawing) {
  const Minibatch& m = drawing.minibatch;
  check_size(m);
  const auto task_of = task_of_vertices(drawing);
  std::string text = "digraph schedule {\n  rankdir=BT;\n  node [style=filled, shape=ellipse];\n";
  for (std::size_t s = 0; s < m.samples.size(); ++s) {
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"sample {}\";\n", s, m.samples[s]);
    for (std::int32_t v = m.vertex_begin[s]; v < m.vertex_begin[s + 1]; ++v)
      text += fmt::format("    v{} [label=\"{}\\n{}\", fillcolor=\"{}\"];\n", v, drawing.types[m.types[v]], task_of[v],
                          colour_of(task_of[v]));
    text += "  }\n";
  }
  each_edge(m, [&](std::int32_t child, std::int32_t v) { text += fmt::format("  v{} -> v{};\n", child, v); });
  return text + "}\n";
}

std::string to_svg(const ScheduleDrawing& drawing, const std::string& title) {
  const Minibatch& m = drawing.minibatch;
  check_size(m);
  const auto task_of = task_of_vertices(drawing);
  const Layout at = lay_out(m);
  Svg svg(std::max(at.width, 2 * kMargin + 9 * static_cast<double>(title.size())), at.height);
  svg.title(kMargin, title);
  each_edge(m, [&](std::int32_t child, std::int32_t v) {
    svg.add("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", at.x[child], at.y[child], at.x[v], at.y[v],
            svg::kAxis);
  });
  for (std::int32_t v = 0; v < m.vertices(); ++v) {
    svg.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"><title>{}</title></circle>\n",
            at.x[v], at.y[v], kRadius, colour_of(task_of[v]), svg::kInk, escape_xml(drawing.types[m.types[v]]));
    const std::string initial = drawing.types[m.types[v]].substr(0, 1);
    svg.text(at.x[v], at.y[v] + 3.5, "middle", svg::kInk, fmt::format("{}{}", initial, task_of[v]),
             " font-size=\"10\"");
  }
  return svg.finish();
}

}  // namespace cavs
