#include "compile/fuse.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "compile/domains.h"

namespace cavs {
namespace {

bool same_part(const Function& f, const std::vector<Stage>& stages, ValueId a, ValueId b) {
  return (a >= f.forward) == (b >= f.forward) && stages[a] == stages[b];
}

/// Whether b may be computed in the loop that computes a.
bool one_loop(const Function& f, ValueId a, ValueId b) {
  const Node &x = f.nodes[a], &y = f.nodes[b];
  return x.op->kind == OpKind::kElementwise && y.op->kind == OpKind::kElementwise && x.domain == y.domain &&
         x.shape.size() == y.shape.size();
}

bool is_instruction(const Node& node) {
  const std::string_view op = node.op->name;
  return (is_computed(node) && node.op->kind != OpKind::kConcat) || node.op->kind == OpKind::kReduceRows ||
         op == "gather_gradient" || op == "lookup_gradient" || op == "accumulate";
}

/// `ready[v]`: the first level at which v can be read from memory.
std::vector<std::int32_t> find_levels(const Function& f, const std::vector<Stage>& stages, bool fuse) {
  std::vector<std::int32_t> levels(f.nodes.size(), 0), ready(f.nodes.size(), 0);
  for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    for (ValueId input : f.nodes[id].in) {
      if (!same_part(f, stages, id, input)) continue;
      levels[id] = std::max(levels[id], fuse && one_loop(f, input, id) ? levels[input] : ready[input]);
    }
    ready[id] = levels[id] + (is_instruction(f.nodes[id]) ? 1 : 0);
  }
  return levels;
}

}  // namespace

std::vector<Group> find_groups(const Function& f, const std::vector<Stage>& stages, bool fuse) {
  const std::vector<std::int32_t> levels = find_levels(f, stages, fuse);
  std::map<std::tuple<bool, Stage, std::int32_t, DomainKind, std::string, std::int64_t>, std::size_t> loops;
  std::vector<Group> groups;
  for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    const Node& node = f.nodes[id];
    if (!is_instruction(node)) continue;
    const bool backward = id >= f.forward;
    if (fuse && node.op->kind == OpKind::kElementwise) {
      const auto [it, fresh] = loops.try_emplace(
          {backward, stages[id], levels[id], node.domain.kind, node.domain.port, node.shape.size()}, groups.size());
      if (!fresh) {
        groups[it->second].nodes.push_back(id);
        continue;
      }
    }
    groups.push_back({backward, stages[id], levels[id], {id}});
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::tie(a.backward, a.stage, a.level) < std::tie(b.backward, b.stage, b.level);
  });
  return groups;
}

}  // namespace cavs
