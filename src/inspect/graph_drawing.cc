#include <fmt/format.h>

#include "cavs/inspect.h"
#include "inspect/graph_layout.h"
#include "inspect/tree_drawing.h"

namespace cavs::inline v0_1 {
namespace {

/// Returns a minibatch of one sample, to compute the sample's layout.
Minibatch packed(const GraphSet& graphs, std::int32_t sample) {
  const auto first = graphs.vertex_begin()[sample], last = graphs.vertex_begin()[sample + 1];
  const auto slot = graphs.child_begin()[first];
  Minibatch m;
  m.samples = {sample};
  m.vertex_begin = {0, static_cast<std::int32_t>(last - first)};
  m.types.assign(graphs.types().begin() + first, graphs.types().begin() + last);
  m.levels.assign(graphs.levels().begin() + first, graphs.levels().begin() + last);
  for (auto v = first; v <= last; ++v)
    m.child_begin.push_back(static_cast<std::int32_t>(graphs.child_begin()[v] - slot));
  m.children.assign(graphs.children().begin() + slot, graphs.children().begin() + graphs.child_begin()[last]);
  return m;
}

}  // namespace

std::string inspect::to_svg(const GraphSet& graphs, std::int32_t sample, const VertexNotes& notes) {
  check_notes(graphs, sample, notes);
  const Minibatch m = packed(graphs, sample);
  return draw_vertices(m, fmt::format("sample {}: {} vertices", sample, m.vertices()), [&](std::int32_t v) {
    const std::int32_t label = notes.labels[v];
    return VertexLook{.colour = light_colour(m.types[v]),
                      .hint = fmt::format("{} {}", graphs.schema().types[m.types[v]], v),
                      .inside = label < 0 ? "" : notes.class_text(label),
                      .below = notes.words[v]};
  });
}

}  // namespace cavs::inline v0_1
