#include "compile/stages.h"

#include "ops/op.h"

namespace cavs {

std::string_view to_string(Stage stage) {
  constexpr std::string_view kNames[] = {"eager", "task", "lazy"};
  return kNames[static_cast<int>(stage)];
}

namespace {

/// An element-wise value of ∂F that depends on values of F alone (1 - y, say) is not worth storing: it is computed
/// again in the stage that reads it, where that is one.
void sink_recomputable(const Function& f, std::vector<Stage>& stages) {
  const auto count = static_cast<ValueId>(f.nodes.size());
  std::vector<char> of_forward(count, 0);
  for (ValueId id = f.forward; id < count; ++id) {
    of_forward[id] = f.nodes[id].op->kind == OpKind::kElementwise;
    for (ValueId input : f.nodes[id].in) of_forward[id] = of_forward[id] && (input < f.forward || of_forward[input]);
  }
  std::vector<int> readers(count, 0);  // stages that read the value, as bits
  for (ValueId id = count; id-- > f.forward;) {
    if (of_forward[id] && readers[id] == 1 << static_cast<int>(Stage::kTask)) stages[id] = Stage::kTask;
    if (of_forward[id] && readers[id] == 1 << static_cast<int>(Stage::kLazy)) stages[id] = Stage::kLazy;
    for (ValueId input : f.nodes[id].in) readers[input] |= 1 << static_cast<int>(stages[id]);
  }
}

}  // namespace

std::vector<Stage> find_stages(const Function& f) {
  const auto count = static_cast<ValueId>(f.nodes.size());
  std::vector<char> gathers(count, 0), scatters(count, 0);
  for (ValueId id = 0; id < count; ++id) {
    const std::string_view op = f.nodes[id].op->name;
    gathers[id] = op == "gather" || op == "children" || op == "gather_gradient";
    for (ValueId input : f.nodes[id].in)  // ∂F runs after all of F: only its own gathers count
      if ((input >= f.forward) == (id >= f.forward)) gathers[id] = gathers[id] || gathers[input];
  }
  for (ValueId id = count; id-- > 0;) {
    const std::string_view op = f.nodes[id].op->name;
    if (op == "scatter" || op == "scatter_gradient") scatters[id] = 1;
    if (!scatters[id]) continue;
    for (ValueId input : f.nodes[id].in)
      if ((input >= f.forward) == (id >= f.forward)) scatters[input] = 1;
  }
  std::vector<Stage> stages(count);
  for (ValueId id = 0; id < count; ++id)
    stages[id] = !gathers[id] ? Stage::kEager : !scatters[id] ? Stage::kLazy : Stage::kTask;
  sink_recomputable(f, stages);
  return stages;
}

}  // namespace cavs
