#include "layout/layout.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "compile/program.h"
#include "ir/op.h"
#include "layout/operand_views.h"
#include "support/check.h"

namespace cavs::inline v0_1 {
namespace {

CopyCost copy_cost(const Node& value, std::size_t elements) {
  const auto bytes = static_cast<std::int64_t>(sizeof(float) * elements) * value.shape.size();
  const bool fixed = value.domain.kind == DomainKind::kParameter;
  return {1, fixed ? 0 : bytes, fixed ? bytes : 0};
}

/// Makes the sets to align, most expensive operands first.
class SetBuilder {
 public:
  explicit SetBuilder(const LayoutOptions& options) : options_(options) {}

  void add(std::span<const Elements* const> operands, std::span<const CopyCost> costs) {
    std::vector<std::size_t> by_cost(operands.size());
    std::iota(by_cost.begin(), by_cost.end(), 0);
    std::stable_sort(by_cost.begin(), by_cost.end(), [&](std::size_t a, std::size_t b) {
      return costs[a].bytes(options_.rows) > costs[b].bytes(options_.rows);
    });
    AlignedSet single;
    for (std::size_t o : by_cost)
      if (find_sharing(*operands[o]).times == 1) single.operands.push_back(*operands[o]);
    if (!single.operands.empty()) push(single, costs[by_cost[0]]);
    if (!options_.share) return;
    for (std::size_t o : by_cost) {
      const SharedElements sharing = find_sharing(*operands[o]);
      if (sharing.times > 1 && sharing.values.size() > 1) push(in_groups(single, sharing), costs[o]);
    }
  }

  std::vector<AlignedSet> finish() {
    std::stable_sort(sets_.begin(), sets_.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::vector<AlignedSet> sets;
    for (auto& [bytes, set] : sets_) sets.push_back(std::move(set));
    return sets;
  }

 private:
  void push(AlignedSet set, const CopyCost& cost) { sets_.emplace_back(cost.bytes(options_.rows), std::move(set)); }

  /// Returns the operands of `single`, with one element per shared value: all variables of the value's readers.
  static AlignedSet in_groups(const AlignedSet& single, const SharedElements& sharing) {
    AlignedSet set;
    for (const Elements& elements : single.operands) {
      Elements groups(sharing.values.size());
      for (std::size_t i = 0; i < elements.size(); ++i) {
        auto& group = groups[sharing.group[i]];
        group.insert(group.end(), elements[i].begin(), elements[i].end());
      }
      set.operands.push_back(std::move(groups));
    }
    set.operands.push_back(sharing.values);
    return set;
  }

  LayoutOptions options_;
  std::vector<std::pair<std::int64_t, AlignedSet>> sets_;
};

class LayoutBuilder {
 public:
  LayoutBuilder(std::span<const Function* const> functions, std::span<const std::vector<Stage>> stages,
                std::span<const std::string> parameters, const LayoutOptions& options)
      : functions_(functions), variables_(functions, parameters), options_(options) {
    layout_.variables.assign(variables_.all().begin(), variables_.all().end());
    for (std::size_t t = 0; t < functions_.size(); ++t)
      add_batches(static_cast<std::int32_t>(t), stages.empty() ? std::span<const Stage>() : std::span(stages[t]));
    add_states();
  }

  MemoryLayout run() {
    order();
    MemoryLayout best = layout_;
    const CopyCost declared = layout_.declared;
    for (const bool all : {false, true}) {
      if (!options_.share || best.copies.kernels == 0) break;
      split_shared(all);
      order();
      if (layout_.copies.bytes(options_.rows) < best.copies.bytes(options_.rows)) best = layout_;
    }
    layout_ = std::move(best);
    layout_.declared = declared;
    if (options_.share) run_apart();
    return std::move(layout_);
  }

 private:
  void order() {
    SetBuilder sets(options_);
    for (const NodeBatch& batch : layout_.batches)
      if (batch.nodes.size() > 1) sets.add(elements_of(batch.operands), costs_of(batch.operands));
    std::vector<AlignedSet> optional_sets;
    for (const auto& [states, records] : by_states()) {
      optional_sets.emplace_back();
      for (const StateRecord* record : records) optional_sets.back().operands.push_back(record->elements);
    }
    const auto count = static_cast<std::int32_t>(layout_.variables.size());
    AlignedOrder found = order_variables(count, variables_.records(), sets.finish(), optional_sets);
    layout_.conflicts = static_cast<std::int64_t>(found.conflicts.size());
    layout_.reductions += found.reductions;
    layout_.touched += found.touched;
    std::vector<std::int32_t> declaration(count);
    std::iota(declaration.begin(), declaration.end(), 0);
    look(declaration, true);
    layout_.order = std::move(found.order);
    look(layout_.order, false);
    if (layout_.copies.bytes(options_.rows) <= layout_.declared.bytes(options_.rows)) return;
    layout_.order = declaration;
    look(declaration, false);
  }

  /// Splits batches in which several nodes read the same value. If `all` is false, only those that would copy such an
  /// operand. A batch keeps the first reader of each value, and the other readers run in further batches, which adds a
  /// compute kernel and saves a copy.
  void split_shared(bool all) {
    std::vector<NodeBatch> batches;
    for (NodeBatch& batch : layout_.batches) {
      const auto shared = std::find_if(batch.operands.begin(), batch.operands.end(), [&](const BatchOperand& operand) {
        const SharedElements sharing = find_sharing(operand.elements);
        return (all || !operand.view) && sharing.values.size() > 1 && sharing.values.size() < sharing.group.size();
      });
      if (shared == batch.operands.end()) {
        batches.push_back(std::move(batch));
        continue;
      }
      std::map<std::int32_t, std::int32_t> seen;               // number of readers of each value so far
      std::map<std::int32_t, std::vector<ValueId>> by_reader;  // by number of earlier readers of their value
      const SharedElements sharing = find_sharing(shared->elements);
      for (std::size_t i = 0; i < batch.nodes.size(); ++i)
        by_reader[seen[sharing.group[i]]++].push_back(batch.nodes[i]);
      for (auto& [reader, nodes] : by_reader)
        batches.push_back({batch.function, nodes, operands_of(batch.function, nodes)});
    }
    layout_.batches = std::move(batches);
  }

  /// Splits a batch into single nodes if the batch would need at least as many more kernels for copies as it saves.
  void run_apart() {
    std::vector<NodeBatch> batches;
    for (NodeBatch& batch : layout_.batches) {
      const std::int64_t copies = std::count_if(batch.operands.begin(), batch.operands.end(),
                                                [](const BatchOperand& operand) { return !operand.view; });
      const auto nodes = static_cast<std::int64_t>(batch.nodes.size());
      if (copies == 0 || nodes == 1 || copies < nodes - 1) {
        batches.push_back(std::move(batch));
        continue;
      }
      for (ValueId id : batch.nodes) batches.push_back({batch.function, {id}, operands_of(batch.function, {id})});
    }
    layout_.batches = std::move(batches);
    look(layout_.order, false);
  }

  void add_batches(std::int32_t t, std::span<const Stage> stages) {
    const Function& f = *functions_[t];
    NodeBatches found = batch_nodes(f, stages);
    for (auto& nodes : found.batches)
      for (auto& part : split_products(t, nodes)) layout_.batches.push_back({t, part, operands_of(t, part)});
    layout_.batching.push_back({found.policy, static_cast<std::int64_t>(found.batches.size()), found.lower_bound});
    for (ValueId id = 0; id < f.forward; ++id)  // a concat that is not in place copies its inputs
      if (f.nodes[id].op->kind == OpKind::kConcat && !variables_.in_place(t, id))
        layout_.batches.push_back({t, {id}, {{-1, {variables_.of(t, id)}, copy_cost(f.nodes[id], 1)}}});
  }

  /// Splits a batch of products into parts. All inputs of a part have equally many products, so these can be merged.
  std::vector<std::vector<ValueId>> split_products(std::int32_t t, const std::vector<ValueId>& nodes) const {
    const Function& f = *functions_[t];
    if (!options_.share || nodes.size() == 1 || f.nodes[nodes[0]].op->kind != OpKind::kMatmul) return {nodes};
    std::map<std::vector<std::int32_t>, std::vector<ValueId>> by_input;
    for (ValueId id : nodes) by_input[variables_.of(t, f.nodes[id].in[0])].push_back(id);
    std::map<std::size_t, std::vector<ValueId>> by_times;
    for (const auto& [input, products] : by_input) {
      auto& batch = by_times[products.size()];
      batch.insert(batch.end(), products.begin(), products.end());
    }
    std::vector<std::vector<ValueId>> batches;
    for (auto& [times, batch] : by_times) {
      std::sort(batch.begin(), batch.end());
      batches.push_back(std::move(batch));
    }
    return batches;
  }

  std::vector<BatchOperand> operands_of(std::int32_t t, const std::vector<ValueId>& nodes) const {
    const Function& f = *functions_[t];
    std::vector<BatchOperand> operands;
    const auto inputs = static_cast<std::int32_t>(f.nodes[nodes[0]].in.size());
    for (std::int32_t k = -1; k < inputs; ++k) {
      BatchOperand operand{k, {}, {}};
      for (ValueId id : nodes) operand.elements.push_back(variables_.of(t, k < 0 ? id : f.nodes[id].in[k]));
      if (operand.elements[0].empty()) continue;  // constants and integers have no memory
      operand.cost = copy_cost(f.nodes[k < 0 ? nodes[0] : f.nodes[nodes[0]].in[k]], nodes.size());
      operands.push_back(std::move(operand));
    }
    return operands;
  }

  using ValuesByState = std::map<std::string, ValueId>;

  /// Returns the states that F gathers from each child, and those that it scatters.
  std::map<std::int32_t, ValuesByState> states_of(std::int32_t t) const {
    std::map<std::int32_t, ValuesByState> by_child;
    const auto enter = [&](std::int32_t child, const std::string& state, ValueId value) {
      if (!variables_.of(t, value).empty()) by_child[child].emplace(state, value);
    };
    for (ValueId id = 0; id < functions_[t]->forward; ++id) {
      const Node& node = functions_[t]->nodes[id];
      const OpId op = node.op->id;
      if (op == OpId::kScatter) enter(StateRecord::kScattered, node.attribute_name(), node.in[0]);
      if (op == OpId::kGather) enter(node.get<attr::Children>().slot, node.attribute_name(), id);
      if (op == OpId::kChildren) enter(StateRecord::kAllChildren, node.attribute_name(), id);
    }
    return by_child;
  }

  /// Adds, for states that are gathered together from one child, a record per function that gathers or scatters them.
  void add_states() {
    std::vector<std::map<std::int32_t, ValuesByState>> by_function;
    std::set<std::vector<std::string>> together;
    for (std::int32_t t = 0; t < static_cast<std::int32_t>(functions_.size()); ++t) {
      by_function.push_back(states_of(t));
      for (const auto& [child, values] : by_function.back())
        if (child != StateRecord::kScattered && values.size() > 1) together.insert(names_of(values));
    }
    for (const auto& states : together)
      for (std::int32_t t = 0; t < static_cast<std::int32_t>(functions_.size()); ++t)
        for (const auto& [child, values] : by_function[t]) {
          if (has_all(values, states) && (child == StateRecord::kScattered || values.size() == states.size()))
            layout_.states.push_back(record_of(t, child, states, values));
        }
  }

  static bool has_all(const ValuesByState& values, const std::vector<std::string>& states) {
    return std::all_of(states.begin(), states.end(), [&](const std::string& state) { return values.contains(state); });
  }

  static std::vector<std::string> names_of(const ValuesByState& values) {
    std::vector<std::string> names;
    for (const auto& [state, value] : values) names.push_back(state);
    return names;
  }

  StateRecord record_of(std::int32_t t, std::int32_t child, const std::vector<std::string>& states,
                        const ValuesByState& values) const {
    StateRecord record{t, child, states, {}, {}};
    for (const std::string& state : states) {
      record.elements.push_back(variables_.of(t, values.at(state)));
      record.cost += copy_cost(functions_[t]->nodes[values.at(state)], 1);
    }
    record.cost.kernels = 1;
    return record;
  }

  std::map<std::vector<std::string>, std::vector<StateRecord*>> by_states() {
    std::map<std::vector<std::string>, std::vector<StateRecord*>> groups;
    for (StateRecord& record : layout_.states) groups[record.states].push_back(&record);
    return groups;
  }

  static const BatchOperand& at(const BatchOperand& operand) { return operand; }
  static const StateRecord& at(const StateRecord* record) { return *record; }
  template <typename Items>
  static std::vector<const Elements*> elements_of(const Items& items) {
    std::vector<const Elements*> elements;
    elements.reserve(items.size());
    for (const auto& item : items) elements.push_back(&at(item).elements);
    return elements;
  }
  template <typename Items>
  static std::vector<CopyCost> costs_of(const Items& items) {
    std::vector<CopyCost> costs;
    costs.reserve(items.size());
    for (const auto& item : items) costs.push_back(at(item).cost);
    return costs;
  }

  /// Evaluates an order: finds the views, the cost of copies and, unless `declared`, each batch's order of nodes.
  void look(const std::vector<std::int32_t>& order, bool declared) {
    const ViewFinder finder{layout_.variables, ranks_of(layout_.variables, order), options_.share};
    CopyCost copies, state_copies;
    for (NodeBatch& batch : layout_.batches) {
      if (functions_[batch.function]->nodes[batch.nodes[0]].op->kind == OpKind::kConcat) {
        copies += batch.operands[0].cost;
        continue;
      }
      const auto found = finder.find(elements_of(batch.operands), costs_of(batch.operands), options_.rows);
      for (std::size_t o = 0; o < found.views.size(); ++o)
        (declared ? batch.operands[o].view_declared : batch.operands[o].view) = found.views[o] != 0;
      if (!declared) apply(found.sequence, batch);
      copies += found.copies;
    }
    for (auto& [states, records] : by_states()) {
      const auto found = finder.find(elements_of(records), costs_of(records), options_.rows);
      for (std::size_t r = 0; r < records.size(); ++r)
        (declared ? records[r]->view_declared : records[r]->view) = found.views[r] != 0;
      state_copies += found.copies;
    }
    (declared ? layout_.declared : layout_.copies) = copies;
    (declared ? layout_.declared_states : layout_.state_copies) = state_copies;
  }

  static void apply(const std::vector<std::int32_t>& sequence, NodeBatch& batch) {
    std::vector<ValueId> nodes;
    nodes.reserve(sequence.size());
    for (std::int32_t i : sequence) nodes.push_back(batch.nodes[i]);
    for (BatchOperand& operand : batch.operands) {
      Elements elements;
      for (std::int32_t i : sequence) elements.push_back(operand.elements[i]);
      operand.elements = std::move(elements);
    }
    batch.nodes = std::move(nodes);
  }

  std::span<const Function* const> functions_;
  Variables variables_;
  LayoutOptions options_;
  MemoryLayout layout_;
};

}  // namespace

MemoryLayout find_layout(std::span<const Function* const> functions, std::span<const std::vector<Stage>> stages,
                         std::span<const std::string> parameters, const LayoutOptions& options) {
  CAVS_ASSERT(stages.empty() || stages.size() == functions.size());
  return LayoutBuilder(functions, stages, parameters, options).run();
}

MemoryLayout find_layout(const Program& program, const LayoutOptions& options) {
  std::vector<const Function*> functions;
  std::vector<std::vector<Stage>> stages;
  std::vector<std::string> parameters;
  for (const TypeProgram& type : program.types) {
    functions.push_back(&type.function);
    stages.push_back(type.stages);
  }
  for (const ParameterInfo& parameter : program.parameters) parameters.push_back(parameter.name);
  return find_layout(functions, stages, parameters, options);
}

}  // namespace cavs::inline v0_1
