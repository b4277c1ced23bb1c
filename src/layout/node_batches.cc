#include "layout/node_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ir/attribute_fields.h"
#include "ir/op.h"
#include "schedule/policy.h"
#include "schedule/schedule.h"

namespace cavs::inline v0_1 {
namespace {

std::string signature_of_input(const Node& input) {
  const OpId op = input.op->id;
  if (op == OpId::kConstant) return fmt::format("constant {}", input.get<attr::Constant>().number);
  if (input.is_index) return fmt::format("index {}", input.attribute_name());
  return fmt::format("{} {}", to_string(input.shape), to_string(input.domain));
}

/// Returns a text that is equal for isomorphic nodes.
std::string signature(const Function& f, ValueId id, std::span<const Stage> stages) {
  const Node& node = f.nodes[id];
  const AttributeFields a = fields_of(node.attributes);
  std::string text = fmt::format("{} '{}' {} {} {} {}: {} {}", node.op->name, a.name, a.index, a.count, a.number,
                                 to_string(a.shape), to_string(node.shape), to_string(node.domain));
  if (!stages.empty()) text += fmt::format(" {}", to_string(stages[id]));
  for (ValueId input : node.in) text += fmt::format(", {}", signature_of_input(f.nodes[input]));
  return text;
}

/// The nodes as the vertices of one input graph. Vertex i is node ids[i].
struct NodeGraph {
  std::vector<ValueId> ids;
  Minibatch minibatch;
};

NodeGraph graph_of(const Function& f, std::span<const Stage> stages) {
  NodeGraph graph;
  Minibatch& m = graph.minibatch;
  m.child_begin.push_back(0);
  std::map<std::string, std::int32_t> types;
  // For each value: the vertices that compute the value, or the value that it is a view of.
  std::vector<std::vector<std::int32_t>> producers(f.nodes.size());
  for (ValueId id = 0; id < f.forward; ++id) {
    std::vector<std::int32_t>& from = producers[id];
    for (ValueId input : f.nodes[id].in) from.insert(from.end(), producers[input].begin(), producers[input].end());
    std::sort(from.begin(), from.end());
    from.erase(std::unique(from.begin(), from.end()), from.end());
    if (!is_batchable(f.nodes[id])) continue;
    std::int32_t level = 0;
    for (std::int32_t vertex : from) level = std::max(level, m.levels[vertex] + 1);
    m.children.insert(m.children.end(), from.begin(), from.end());
    m.child_begin.push_back(static_cast<std::int32_t>(m.children.size()));
    m.levels.push_back(level);
    m.types.push_back(types.emplace(signature(f, id, stages), static_cast<std::int32_t>(types.size())).first->second);
    from = {static_cast<std::int32_t>(graph.ids.size())};
    graph.ids.push_back(id);
  }
  m.samples = {0};
  m.vertex_begin = {0, static_cast<std::int32_t>(graph.ids.size())};
  m.type_count.resize(types.size());
  for (std::int32_t type : m.types) ++m.type_count[type];
  m.edges = static_cast<std::int32_t>(m.children.size());
  return graph;
}

}  // namespace

bool is_batchable(const Node& node) {
  const OpKind kind = node.op->kind;
  return kind == OpKind::kElementwise || kind == OpKind::kRow || kind == OpKind::kMatmul || kind == OpKind::kLinearLoss;
}

NodeBatches batch_nodes(const Function& f, std::span<const Stage> stages) {
  const NodeGraph graph = graph_of(f, stages);
  NodeBatches best;
  if (graph.ids.empty()) return best;
  best.lower_bound = lower_bound(graph.minibatch);
  Scheduler scheduler;
  Schedule schedule;
  for (const PolicyDef& policy : all_policies()) {
    if (policy.make == nullptr) continue;
    make_schedule(graph.minibatch, *policy.make(), scheduler, schedule);
    if (!best.batches.empty() && schedule.tasks.size() >= best.batches.size()) continue;
    best.policy = policy.name;
    best.batches.clear();
    for (const Task& task : schedule.tasks) {
      std::vector<ValueId>& batch = best.batches.emplace_back();
      for (std::int32_t row = task.begin; row < task.end; ++row)
        batch.push_back(graph.ids[schedule.vertex[schedule.type_begin[task.type] + row]]);
      std::sort(batch.begin(), batch.end());
    }
  }
  return best;
}

}  // namespace cavs::inline v0_1
