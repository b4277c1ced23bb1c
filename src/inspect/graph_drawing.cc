#include "inspect/graph_drawing.h"

#include <fmt/format.h>

#include <algorithm>

#include "inspect/graph_layout.h"
#include "inspect/svg.h"

namespace cavs {
namespace {

/// One sample, packed for its layout alone.
Minibatch packed(const GraphSet& graphs, std::int32_t sample) {
  const auto first = graphs.vertex_begin()[sample], last = graphs.vertex_begin()[sample + 1];
  const auto slot = graphs.child_begin()[first];
  Minibatch m;
  m.samples = {sample}, m.vertex_begin = {0, static_cast<std::int32_t>(last - first)};
  m.types.assign(graphs.types().begin() + first, graphs.types().begin() + last);
  m.levels.assign(graphs.levels().begin() + first, graphs.levels().begin() + last);
  for (auto v = first; v <= last; ++v)
    m.child_begin.push_back(static_cast<std::int32_t>(graphs.child_begin()[v] - slot));
  m.children.assign(graphs.children().begin() + slot, graphs.children().begin() + graphs.child_begin()[last]);
  return m;
}

std::string class_text(const VertexNotes& notes, std::int32_t c) {
  if (c < 0) return "";
  return c < std::ssize(notes.class_names) ? notes.class_names[c] : fmt::format("{}", c);
}

}  // namespace

std::string to_svg(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes) {
  const Minibatch m = packed(graphs, sample);
  const GraphLayout at(m);
  const std::string title = fmt::format("sample {}: {} vertices", sample, m.vertices());
  Svg svg(std::max(at.width, 2 * GraphLayout::kMargin + 9 * static_cast<double>(title.size())), at.height);
  svg.title(GraphLayout::kMargin, title);
  each_drawn_edge(m, [&](std::int32_t child, std::int32_t v) {
    svg.add("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\" stroke=\"{}\"/>\n", at.x[child], at.y[child], at.x[v], at.y[v],
            svg::kAxis);
  });
  for (std::int32_t v = 0; v < m.vertices(); ++v) {
    svg.add("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\"><title>{}</title></circle>\n",
            at.x[v], at.y[v], GraphLayout::kRadius, light_colour(m.types[v]), svg::kInk,
            escape_xml(fmt::format("{} {}", graphs.schema().types[m.types[v]], v)));
    svg.text(at.x[v], at.y[v] + 3.5, "middle", svg::kInk, class_text(notes, notes.labels[v]), " font-size=\"10\"");
    svg.text(at.x[v], at.y[v] + GraphLayout::kRadius + 11, "middle", svg::kInk, notes.words[v], " font-size=\"10\"");
  }
  return svg.finish();
}

}  // namespace cavs
