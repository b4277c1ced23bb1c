#include "compile/fuse.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "compile/domains.h"

namespace cavs::inline v0_1 {
namespace {

bool same_part(const Function& f, const std::vector<Stage>& stages, ValueId a, ValueId b) {
  return (a >= f.forward) == (b >= f.forward) && stages[a] == stages[b];
}

/// True if one loop may compute both element-wise nodes, `a` and `b`.
bool one_loop(const Function& f, ValueId a, ValueId b) {
  const Node &x = f.nodes[a], &y = f.nodes[b];
  return x.op->kind == OpKind::kElementwise && y.op->kind == OpKind::kElementwise && x.domain == y.domain &&
         x.shape.size() == y.shape.size();
}

bool is_instruction(const Node& node) {
  const OpId op = node.op->id;
  return (is_computed(node) && node.op->kind != OpKind::kConcat) || node.op->kind == OpKind::kReduceRows ||
         op == OpId::kGatherGradient || op == OpId::kLookupGradient || op == OpId::kAccumulate;
}

/// Assigns a level to each node. `ready[v]` is the first level at which value v can be read from memory.
class Levels {
 public:
  Levels(const Function& f, const std::vector<Stage>& stages, bool fuse) : f_(f), stages_(stages), fuse_(fuse) {
    raise();
    if (fuse) delay();
  }

  const std::vector<std::int32_t>& levels() const { return levels_; }

 private:
  bool joins(ValueId a, ValueId b) const { return fuse_ && one_loop(f_, a, b); }

  void raise() {
    levels_.assign(f_.nodes.size(), 0);
    std::vector<std::int32_t> ready(f_.nodes.size(), 0);
    for (ValueId id = 0; id < static_cast<ValueId>(f_.nodes.size()); ++id) {
      for (ValueId input : f_.nodes[id].in)
        if (same_part(f_, stages_, id, input))
          levels_[id] = std::max(levels_[id], joins(input, id) ? levels_[input] : ready[input]);
      ready[id] = levels_[id] + (is_instruction(f_.nodes[id]) ? 1 : 0);
    }
  }

  /// Moves each element-wise node into the first loop that reads its value, so that the value needs no memory.
  void delay() {
    constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();
    std::vector<std::int32_t> deadline(f_.nodes.size(), kNever);  // level at which the value must be in memory
    std::vector<std::int32_t> latest(f_.nodes.size(), kNever);    // level at which it may still be computed
    for (auto id = static_cast<ValueId>(f_.nodes.size()); id-- > 0;) {
      const Node& node = f_.nodes[id];
      if (is_instruction(node)) {
        if (node.op->kind == OpKind::kElementwise && latest[id] != kNever)
          levels_[id] = std::max(levels_[id], latest[id]);
        deadline[id] = levels_[id];
      }
      if (deadline[id] == kNever) continue;
      for (ValueId input : node.in) {
        if (!same_part(f_, stages_, id, input)) continue;
        latest[input] = std::min(latest[input], joins(input, id) ? levels_[id] : deadline[id] - 1);
        if (!is_instruction(f_.nodes[input])) deadline[input] = std::min(deadline[input], deadline[id]);
      }
    }
  }

  const Function& f_;
  const std::vector<Stage>& stages_;
  bool fuse_;
  std::vector<std::int32_t> levels_;
};

}  // namespace

std::vector<Group> find_groups(const Function& f, const std::vector<Stage>& stages, bool fuse) {
  const Levels found(f, stages, fuse);
  const std::vector<std::int32_t>& levels = found.levels();
  std::map<std::tuple<bool, Stage, std::int32_t, std::string, std::int64_t>, std::size_t> loops;
  std::map<std::pair<Stage, std::int32_t>, std::size_t> losses;
  std::vector<Group> groups;
  for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
    const Node& node = f.nodes[id];
    if (!is_instruction(node)) continue;
    const bool backward = id >= f.forward;
    if (fuse && node.op->kind == OpKind::kElementwise) {
      const auto [it, fresh] = loops.try_emplace(
          {backward, stages[id], levels[id], to_string(node.domain), node.shape.size()}, groups.size());
      if (!fresh) {
        groups[it->second].nodes.push_back(id);
        continue;
      }
    }
    if (node.op->kind == OpKind::kLinearLoss) {
      const auto [it, fresh] = losses.try_emplace({stages[id], node.get<attr::Loss>().number}, groups.size());
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

}  // namespace cavs::inline v0_1
