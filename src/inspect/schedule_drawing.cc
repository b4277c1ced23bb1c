#include "inspect/schedule_drawing.h"

#include <fmt/format.h>

#include "inspect/graph_layout.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
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
  user_check(m.vertices() <= kMaxDrawn,
             "a drawing has at most {} vertices, but the minibatch has {}; draw fewer samples", kMaxDrawn,
             m.vertices());
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
  const auto task_of = task_of_vertices(drawing);
  return draw_vertices(drawing.minibatch, title, [&](std::int32_t v) {
    const std::string& type = drawing.types[drawing.minibatch.types[v]];
    return VertexLook{
        .colour = light_colour(task_of[v]), .hint = type, .inside = fmt::format("{}{}", type.substr(0, 1), task_of[v])};
  });
}

}  // namespace cavs::inline v0_1
