#include "models/lattice_parts.h"

#include "models/classes.h"

namespace cavs::inline v0_1 {

void declare_position(Model& m, const ModelConfig& config, bool cells) {
  m.vertex_function("position", [&](Vertex& v) {
    const auto state = [&](const char* name) {
      auto arcs = v.children(name);
      return config.ed_batch ? sum(arcs) : mean(arcs);
    };
    auto h = state("h");
    if (cells) v.scatter("c", state("c"));
    v.scatter("h", h);
    predict_class(m, v, config, h);
  });
}

}  // namespace cavs::inline v0_1
