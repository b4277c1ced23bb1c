#include "models/lattice_parts.h"

namespace cavs {

void declare_position(Model& m, const ModelSizes& s, bool cells) {
  auto Wy = m.parameter("Wy", {s.hidden, s.classes}), by = m.parameter("by", {s.classes}, zeros());
  m.vertex_function("position", [&](Vertex& v) {
    const auto state = [&](const char* name) {
      auto arcs = v.children(name);
      return s.ed_batch ? sum(arcs) : mean(arcs);
    };
    auto h = state("h");
    if (cells) v.scatter("c", state("c"));
    v.scatter("h", h);
    auto logits = dropout(h, s.dropout) * Wy + by;
    v.push("logits", logits);
    v.loss(softmax_cross_entropy(logits, v.pull_index("label")));
  });
}

}  // namespace cavs
