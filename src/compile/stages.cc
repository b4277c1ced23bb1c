#include "compile/stages.h"

#include "ops/op.h"

namespace cavs {

std::string_view to_string(Stage stage) {
  constexpr std::string_view kNames[] = {"eager", "task", "lazy"};
  return kNames[static_cast<int>(stage)];
}

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
  return stages;
}

}  // namespace cavs
