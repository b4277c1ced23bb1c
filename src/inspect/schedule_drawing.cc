#include "inspect/schedule_drawing.h"

#include <algorithm>

#include "inspect/graph_layout.h"
#include "inspect/svg.h"
#include "support/check.h"

namespace cavs {
namespace {

std::vector<std::size_t> task_of_vertices(const ScheduleDrawing& d) {
  std::vector<std::size_t> task_of(d.minibatch.vertices());
  for (std::size_t task = 0; task < d.schedule.tasks.size(); ++task) {
    const Task& t = d.schedule.tasks[task];
    for (std::int32_t r = t.begin; r < t.end; ++r) task_of[d.schedule.vertex[d.schedule.type_begin[t.type] + r]] = task;
  }
  return task_of;
}

}  // namespace

std::string to_dot(const ScheduleDrawing& drawing) {
  const Minibatch& m = drawing.minibatch;
  user_check(m.vertices() <= kMaxDrawn, "a drawing has at most {} vertices, the minibatch {}; draw fewer samples",
             kMaxDrawn, m.vertices());
  const auto task_of = task_of_vertices(drawing);
  std::string text = "digraph schedule {\n  rankdir=BT;\n  node [style=filled, shape=ellipse];\n";
  for (std::size_t s = 0; s < m.samples.size(); ++s) {
    text += fmt::format("  subgraph cluster_{} {{\n    label=\"sample {}\";\n", s, m.samples[s]);
    for (std::int32_t v = m.vertex_begin[s]; v < m.vertex_begin[s + 1]; ++v)
      text += fmt::format("    v{} [label=\"{}\\n{}\", fillcolor=\"{}\"];\n", v, drawing.types[m.types[v]], task_of[v],
                          light_colour(task_of[v]));
    text += "  }\n";
  }
  each_drawn_edge(m, [&](std::int32_t child, std::int32_t v) { text += fmt::format("  v{} -> v{};\n", child, v); });
  return text + "}\n";
}

std::string to_svg(const ScheduleDrawing& drawing, const std::string& title) {
  const Minibatch& m = drawing.minibatch;
  const GraphLayout at(m);
  const auto task_of = task_of_vertices(drawing);
  constexpr double kMargin = GraphLayout::kMargin;
  Svg svg(std::max(at.width, 2 * kMargin + 9 * static_cast<double>(title.size())), at.height);
  svg.title(kMargin, title);
  each_drawn_edge(m, [&](std::int32_t child, std::int32_t v) {
    svg.add("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", at.x[child], at.y[child], at.x[v], at.y[v],
            svg::kAxis);
  });
  for (std::int32_t v = 0; v < m.vertices(); ++v) {
    svg.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"><title>{}</title></circle>\n",
            at.x[v], at.y[v], GraphLayout::kRadius, light_colour(task_of[v]), svg::kInk,
            escape_xml(drawing.types[m.types[v]]));
    const std::string initial = drawing.types[m.types[v]].substr(0, 1);
    svg.text(at.x[v], at.y[v] + 3.5, "middle", svg::kInk, fmt::format("{}{}", initial, task_of[v]),
             " font-size=\"10\"");
  }
  return svg.finish();
}

}  // namespace cavs
