#include "compile/stages.h"

#include <algorithm>

#include "ir/op.h"

namespace cavs::inline v0_1 {

std::string_view to_string(Stage stage) {
  constexpr std::string_view kNames[] = {"eager", "task", "lazy"};
  return kNames[static_cast<int>(stage)];
}

namespace {

/// Moves an element-wise value of ∂F that depends only on values of F (for example 1 - y) to the stage that reads it,
/// if only one stage does. Computing the value there is cheaper than storing it.
void sink_recomputable(const Function& f, std::vector<Stage>& stages) {
  const auto count = static_cast<ValueId>(f.nodes.size());
  std::vector<char> of_forward(count, 0);
  for (ValueId id = f.forward; id < count; ++id) {
    of_forward[id] = f.nodes[id].op->kind == OpKind::kElementwise || f.nodes[id].is(OpId::kConstant);
    for (ValueId input : f.nodes[id].in) of_forward[id] = of_forward[id] && (input < f.forward || of_forward[input]);
  }
  std::vector<int> readers(count, 0);  // [nodes] bit s is set if stage s reads the value
  for (ValueId id = count; id-- > f.forward;) {
    if (of_forward[id] && readers[id] == 1 << static_cast<int>(Stage::kTask)) stages[id] = Stage::kTask;
    if (of_forward[id] && readers[id] == 1 << static_cast<int>(Stage::kLazy)) stages[id] = Stage::kLazy;
    for (ValueId input : f.nodes[id].in) readers[input] |= 1 << static_cast<int>(stages[id]);
  }
}

/// Marks reductions whose results are added to a gradient in memory. Tasks can add to it one after the other.
std::vector<char> find_accumulated(const Function& f) {
  std::vector<int> uses(f.nodes.size(), 0);
  for (const Node& node : f.nodes)
    for (ValueId input : node.in) ++uses[input];
  std::vector<char> accumulated(f.nodes.size(), 0);
  for (const Node& node : f.nodes)
    if (node.is(OpId::kAccumulate) && uses[node.in[0]] == 1)
      accumulated[node.in[0]] = f.nodes[node.in[0]].op->kind == OpKind::kReduceRows;
  return accumulated;
}

/// Moves nodes from the eager and lazy stages to the tasks if the option that allows these stages is off. Nodes that
/// need the rows of all tasks stay, or become, lazy.
void move_to_tasks(const Function& f, StageOptions options, std::vector<Stage>& stages) {
  const std::vector<char> accumulated = find_accumulated(f);
  for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    const Node& node = f.nodes[id];
    const bool sums_tasks = node.is(OpId::kSegmentSum) && !node.domain.port.empty();  // false: it sums rows of one task
    const bool sums_rows = node.op->kind == OpKind::kReduceRows || node.op->kind == OpKind::kLinearLoss ||
                           node.is(OpId::kLookupGradient) || sums_tasks;
    const bool row_by_row = node.domain.kind != DomainKind::kParameter && !node.is_index && !sums_rows;
    Stage inputs = Stage::kEager;
    for (ValueId input : node.in)
      if ((input >= f.forward) == (id >= f.forward)) inputs = std::max(inputs, stages[input]);
    Stage& stage = stages[id];
    stage = std::max(stage, sums_rows && inputs == Stage::kTask ? Stage::kLazy : inputs);
    if (stage == Stage::kEager && row_by_row && !options.eager) stage = Stage::kTask;
    const bool by_task = (row_by_row || accumulated[id]) && inputs != Stage::kLazy;
    if (stage == Stage::kLazy && by_task && !options.lazy) stage = Stage::kTask;
    if (node.is(OpId::kAccumulate) && accumulated[node.in[0]]) stage = stages[node.in[0]];
  }
}

}  // namespace

std::vector<Stage> find_stages(const Function& f, StageOptions options) {
  const auto count = static_cast<ValueId>(f.nodes.size());
  std::vector<char> gathers(count, 0), scatters(count, 0);
  for (ValueId id = 0; id < count; ++id) {
    gathers[id] = f.nodes[id].op->states == StateUse::kGathers;
    for (ValueId input : f.nodes[id].in)  // ∂F runs after all of F, so only gathers of ∂F count in ∂F
      if ((input >= f.forward) == (id >= f.forward)) gathers[id] = gathers[id] || gathers[input];
  }
  for (ValueId id = count; id-- > 0;) {
    if (f.nodes[id].op->states == StateUse::kScatters) scatters[id] = 1;
    if (!scatters[id]) continue;
    for (ValueId input : f.nodes[id].in)
      if ((input >= f.forward) == (id >= f.forward)) scatters[input] = 1;
  }
  std::vector<Stage> stages(count);
  for (ValueId id = 0; id < count; ++id)
    stages[id] = !gathers[id] ? Stage::kEager : !scatters[id] ? Stage::kLazy : Stage::kTask;
  if (!options.eager || !options.lazy) move_to_tasks(f, options, stages);
  sink_recomputable(f, stages);
  return stages;
}

}  // namespace cavs::inline v0_1
