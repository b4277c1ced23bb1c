#include "layout/aligned_order.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>

#include "layout/order_union.h"
#include "layout/pq_tree.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

using NodeId = PqTree::NodeId;
using Indices = std::vector<std::int32_t>;  // element numbers, ascending

/// A tree node, and the elements of an operand below each of its children. Children that share an element are merged.
struct TreePart {
  NodeId node;
  PqTree::Kind kind;
  std::vector<Indices> children;
};

Indices merged(const std::vector<Indices>& sets) {
  Indices all;
  for (const Indices& set : sets) all.insert(all.end(), set.begin(), set.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<std::int32_t> variables_of(const Elements& elements) {
  std::vector<std::int32_t> all;
  for (const auto& element : elements) all.insert(all.end(), element.begin(), element.end());
  return all;
}

std::vector<std::int32_t> variables_of(const Elements& elements, const Indices& some) {
  std::vector<std::int32_t> all;
  for (std::int32_t i : some) all.insert(all.end(), elements[i].begin(), elements[i].end());
  return all;
}

/// Returns the nodes of the tree that order the elements of an operand, children before parents. If only some children
/// of a Q node are below the operand, their order may be reversed, unless `slots` has all nodes' positions among
/// siblings.
std::vector<TreePart> parts_of(const PqTree& tree, const Elements& elements,
                               const std::vector<std::int32_t>* slots = nullptr) {
  std::unordered_map<NodeId, Indices> below;
  for (std::size_t i = 0; i < elements.size(); ++i)
    for (std::int32_t variable : elements[i]) below[variable] = {static_cast<std::int32_t>(i)};
  PqTree::Subtree top = tree.subtree(variables_of(elements));
  if (slots != nullptr && !top.children.empty() && (*slots)[top.children.front()] > (*slots)[top.children.back()])
    std::reverse(top.children.begin(), top.children.end());
  std::vector<std::pair<NodeId, std::vector<NodeId>>> nodes{{top.root, top.children}};
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t c = 0; c < nodes[i].second.size(); ++c)
      if (const NodeId child = nodes[i].second[c]; tree.kind(child) != PqTree::Kind::kLeaf)
        nodes.emplace_back(child, tree.children(child));
  std::vector<TreePart> parts;
  for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
    TreePart part{it->first, tree.kind(it->first), {}};
    for (NodeId child : it->second)
      if (part.children.empty() || part.children.back() != below[child]) part.children.push_back(below[child]);
    if (!it->second.empty()) below[it->first] = merged(part.children);
    if (part.children.size() > 1) parts.push_back(std::move(part));
  }
  return parts;
}

/// Returns the sets of elements that the nodes keep together (ED-Batch, Algorithm 3, GetSubtreeCons).
std::vector<Indices> constraints_of(const std::vector<TreePart>& parts) {
  std::vector<Indices> constraints;
  for (const TreePart& part : parts) {
    if (part.kind == PqTree::Kind::kP) constraints.push_back(merged(part.children));
    if (part.kind == PqTree::Kind::kQ)
      for (std::size_t c = 1; c < part.children.size(); ++c)
        constraints.push_back(merged({part.children[c - 1], part.children[c]}));
  }
  return constraints;
}

/// Returns the permutation from the order of node `from` to that of node `to`, which has the same elements; empty if
/// there is none.
OrderUnion::Permutation relation(const TreePart& from, const TreePart& to) {
  if (from.kind != to.kind || from.children.size() != to.children.size()) return {};
  if (from.kind == PqTree::Kind::kQ) {  // the order {0, 1} is forwards, {1, 0} backwards
    if (from.children == to.children) return {0, 1};
    return std::equal(from.children.begin(), from.children.end(), to.children.rbegin()) ? OrderUnion::Permutation{1, 0}
                                                                                        : OrderUnion::Permutation{};
  }
  OrderUnion::Permutation slots;
  for (const Indices& child : from.children) {
    const auto it = std::find(to.children.begin(), to.children.end(), child);
    if (it == to.children.end()) return {};
    slots.push_back(static_cast<std::int32_t>(it - to.children.begin()));
  }
  return slots;
}

class Aligner {
 public:
  Aligner(std::int32_t variables, const std::vector<std::vector<std::int32_t>>& records,
          const std::vector<AlignedSet>& sets, const std::vector<AlignedSet>& optional_sets)
      : tree_(variables), sets_(sets), sets_with_(variables) {
    add_records(records);
    first_wish_ = sets_.size();
    sets_.insert(sets_.end(), optional_sets.begin(), optional_sets.end());
    for (const AlignedSet& set : sets_) given_up_.emplace_back(set.operands.size(), 0);
    for (std::size_t s = 0; s < sets_.size(); ++s)
      for (const Elements& operand : sets_[s].operands)
        for (std::int32_t variable : variables_of(operand))
          if (sets_with_[variable].empty() || sets_with_[variable].back() != s) sets_with_[variable].push_back(s);
  }

  AlignedOrder run() {
    for (std::size_t s = 0; s < first_wish_; ++s) {
      for (std::size_t o = 0; o < sets_[s].operands.size(); ++o) join(s, o);
      queue_.insert(s);
    }
    for (std::size_t s = first_wish_; s < sets_.size(); ++s) given_up_[s].assign(sets_[s].operands.size(), 1);
    broadcast();
    OrderUnion orders = decide();
    for (std::size_t s = first_wish_; s < sets_.size(); ++s)
      for (std::size_t o = 0; o < sets_[s].operands.size(); ++o) wish(s, o, orders);
    read_off(orders);
    turn_records();
    result_.touched += tree_.touched();
    return std::move(result_);
  }

 private:
  /// Adds records (variables in a fixed order) as sets. All must run in one direction, so set 0 has one operand per
  /// record, its first variables.
  void add_records(const std::vector<std::vector<std::int32_t>>& records) {
    for (const auto& record : records)
      if (record.size() > 1) records_.push_back(record);
    std::stable_sort(records_.begin(), records_.end(),
                     [](const auto& a, const auto& b) { return a.size() > b.size(); });
    AlignedSet heads;
    for (const auto& record : records_) {
      for (std::size_t i = 1; i < record.size(); ++i) CAVS_ASSERT(reduce({record[i - 1], record[i]}));
      heads.operands.push_back({{record[0]}, {record[1]}});
    }
    sets_.insert(sets_.begin(), std::move(heads));
  }

  bool reduce(const std::vector<std::int32_t>& variables) {
    const PqTree::Reduction reduction = tree_.reduce(variables);
    ++result_.reductions;
    if (reduction == PqTree::Reduction::kChanged)
      for (std::int32_t variable : variables)
        for (std::size_t s : sets_with_[variable]) queue_.insert(s);
    return reduction != PqTree::Reduction::kRejected;
  }

  /// Gives up an operand. Its earlier constraints stay in the tree, where they contradict no operand that is kept.
  void give_up(std::size_t set, std::size_t operand) {
    given_up_[set][operand] = 1;
    if (set > 0) result_.conflicts.push_back({static_cast<std::int32_t>(set) - 1, static_cast<std::int32_t>(operand)});
  }

  void join(std::size_t set, std::size_t operand) {
    const Elements& elements = sets_[set].operands[operand];
    bool joined = true;
    for (const auto& element : elements) joined = joined && reduce(element);
    if (!joined || !reduce(variables_of(elements))) give_up(set, operand);
  }

  /// Adds an operand of a wish to the kept operands if no other operand has to be given up for it.
  void wish(std::size_t set, std::size_t operand, OrderUnion& orders) {
    const PqTree tree = tree_;
    const auto given_up = given_up_;
    const auto conflicts = result_.conflicts;
    given_up_[set][operand] = 0;
    join(set, operand);
    queue_.insert(set);
    broadcast();
    OrderUnion with_it = decide();
    if (result_.conflicts == conflicts) {
      orders = std::move(with_it);
      return;
    }
    result_.touched += tree_.touched() - tree.touched();
    tree_ = tree;
    given_up_ = given_up;
    result_.conflicts = conflicts;
    give_up(set, operand);
  }

  /// Makes the tree order the elements of all operands of a set in the same way (Algorithm 2, BroadcastConstraint). A
  /// reduction affects only the operands that contain one of its variables.
  void broadcast() {
    while (!queue_.empty()) {
      const std::size_t set = *queue_.begin();
      queue_.erase(queue_.begin());
      broadcast_in(set);
    }
  }

  void broadcast_in(std::size_t set) {
    const auto& operands = sets_[set].operands;
    std::map<Indices, std::size_t> constraints;  // each constraint, and the first operand with it
    for (std::size_t o = 0; o < operands.size(); ++o)
      if (given_up_[set][o] == 0)
        for (Indices& constraint : constraints_of(parts_of(tree_, operands[o])))
          constraints.emplace(std::move(constraint), o);
    for (const auto& [constraint, source] : constraints)
      for (std::size_t o = 0; o < operands.size(); ++o) {
        if (given_up_[set][o] != 0 || o == source || reduce(variables_of(operands[o], constraint))) continue;
        give_up(set, std::max(o, source));
        queue_.insert(set);
        return;
      }
  }

  /// Decides the orders of all nodes (Algorithm 2, DecideNodesOrder).
  OrderUnion decide() {
    std::vector<std::int32_t> counts(tree_.nodes());
    slots_.resize(tree_.nodes());
    for (NodeId node = 0; node < tree_.nodes(); ++node)
      counts[node] = tree_.kind(node) == PqTree::Kind::kQ ? 2 : tree_.child_count(node);
    std::vector<NodeId> stack{tree_.root()};
    while (!stack.empty()) {
      const std::vector<NodeId> children = tree_.children(stack.back());
      stack.pop_back();
      for (std::size_t c = 0; c < children.size(); ++c) slots_[children[c]] = static_cast<std::int32_t>(c);
      stack.insert(stack.end(), children.begin(), children.end());
    }
    OrderUnion orders(counts);
    for (std::size_t s = 0; s < sets_.size(); ++s) align(s, orders);
    return orders;
  }

  /// Lists the tree's variables from left to right (Algorithm 6), as the result.
  void read_off(const OrderUnion& orders) {
    std::vector<NodeId> stack{tree_.root()};
    while (!stack.empty()) {
      const NodeId node = stack.back();
      stack.pop_back();
      if (tree_.kind(node) == PqTree::Kind::kLeaf) result_.order.push_back(node);
      const std::vector<NodeId> children = tree_.children(node);
      OrderUnion::Permutation sequence = orders.find(node).from_root;
      if (tree_.kind(node) == PqTree::Kind::kQ) {
        const bool forwards = sequence[0] == 0;
        sequence.resize(children.size());
        std::iota(sequence.begin(), sequence.end(), 0);
        if (!forwards) std::reverse(sequence.begin(), sequence.end());
      }
      for (auto it = sequence.rbegin(); it != sequence.rend(); ++it) stack.push_back(children[*it]);
    }
  }

  void align(std::size_t set, OrderUnion& orders) {
    std::map<Indices, TreePart> first;  // the first operand's parts, by the elements below
    for (std::size_t o = 0; o < sets_[set].operands.size(); ++o) {
      if (given_up_[set][o] != 0) continue;
      std::vector<TreePart> parts = parts_of(tree_, sets_[set].operands[o], &slots_);
      if (first.empty()) {
        for (TreePart& part : parts) first.emplace(merged(part.children), std::move(part));
        continue;
      }
      const std::size_t links = orders.links();
      const bool fits =
          parts.size() == first.size() && std::all_of(parts.begin(), parts.end(), [&](const TreePart& part) {
            const auto same = first.find(merged(part.children));
            if (same == first.end()) return false;
            const OrderUnion::Permutation slots = relation(same->second, part);
            return !slots.empty() && orders.unite(same->second.node, part.node, slots);
          });
      if (fits) continue;
      orders.undo(links);
      give_up(set, o);
    }
  }

  /// Makes records run forwards: reverses the whole order if needed, then each record that still runs backwards.
  void turn_records() {
    std::vector<std::int32_t>& order = result_.order;
    std::vector<std::int32_t> position(order.size());
    const auto backwards = [&](const auto& record) { return position[record[0]] > position[record[1]]; };
    const auto find_positions = [&] {
      for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = static_cast<std::int32_t>(i);
    };
    find_positions();
    if (!records_.empty() && backwards(records_[0])) {
      std::reverse(order.begin(), order.end());
      find_positions();
    }
    for (const auto& record : records_) {  // longest first, since a record may be inside a longer one
      if (!backwards(record)) continue;
      std::reverse(order.begin() + position[record.back()], order.begin() + position[record[0]] + 1);
      find_positions();
    }
  }

  PqTree tree_;
  std::vector<std::vector<std::int32_t>> records_;
  std::vector<AlignedSet> sets_;  // set 0: the first variables of the records; then `sets`; then the wishes
  std::size_t first_wish_ = 0;
  std::vector<std::vector<std::size_t>> sets_with_;  // [variables] numbers of the sets that contain it
  std::vector<std::vector<char>> given_up_;
  std::set<std::size_t> queue_;
  std::vector<std::int32_t> slots_;  // position of each node among its siblings; filled when the tree is final
  AlignedOrder result_;
};

}  // namespace

AlignedOrder order_variables(std::int32_t variables, const std::vector<std::vector<std::int32_t>>& records,
                             const std::vector<AlignedSet>& sets, const std::vector<AlignedSet>& optional_sets) {
  return variables == 0 ? AlignedOrder{} : Aligner(variables, records, sets, optional_sets).run();
}

}  // namespace cavs::inline v0_1
