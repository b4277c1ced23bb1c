#include "inspect/program_json.h"

#include <utility>

#include "inspect/print_function.h"
#include "inspect/print_layout.h"
#include "ir/op.h"
#include "placement/placement_text.h"

namespace cavs::inline v0_1 {
namespace {

OrderedJson to_json(const CopyCost& cost) {
  return {{"kernels", cost.kernels}, {"bytes_per_vertex", cost.row_bytes}, {"bytes_per_task", cost.fixed_bytes}};
}

/// Returns per unit (slice of columns) of a weight the name of the memory that keeps it, or null if it is streamed.
OrderedJson memories(const PlacedWeight& placed, const OnChipTarget& target) {
  OrderedJson names = OrderedJson::array();
  for (const std::int32_t m : placed.memory) {
    if (m == PlacedWeight::kStreamed) {
      names.push_back(nullptr);
    } else {
      names.push_back(target.memories[static_cast<std::size_t>(m)].name);
    }
  }
  return names;
}

}  // namespace

OrderedJson to_json(const TypeProgram& type) {
  OrderedJson nodes = OrderedJson::array();
  for (std::size_t id = 0; id < type.function.nodes.size(); ++id) {
    const Node& node = type.function.nodes[id];
    OrderedJson json{{"id", id},
                     {"op", node.op->name},
                     {"in", node.in},
                     {"expression", expression(node)},
                     {"domain", to_string(node.domain)},
                     {"stage", to_string(type.stages[id])},
                     {"backward", type.function.differentiated() && static_cast<ValueId>(id) >= type.function.forward}};
    if (node.op->kind != OpKind::kSink) json["shape"] = node.shape.dims;
    if (!node.name.empty()) json["name"] = node.name;
    if (node.recomputed >= 0) json["again"] = node.recomputed;
    nodes.push_back(std::move(json));
  }
  return {{"name", type.function.name}, {"nodes", std::move(nodes)}};
}

OrderedJson to_json(const MemoryLayout& layout, const Program& program) {
  const auto names = [&](const std::vector<std::int32_t>& variables) {
    OrderedJson json = OrderedJson::array();
    for (std::int32_t v : variables) json.push_back(variable_text(layout.variables[v], program));
    return json;
  };
  OrderedJson order = OrderedJson::array();
  for (std::int32_t v : layout.order) {
    const Variable& variable = layout.variables[v];
    order.push_back({{"name", variable_text(variable, program)}});
    if (!variable.is_parameter) order.back()["function"] = program.types[variable.function].function.name;
  }
  OrderedJson batches = OrderedJson::array();
  for (const NodeBatch& batch : layout.batches) {
    const Function& f = program.types[batch.function].function;
    OrderedJson operands = OrderedJson::array();
    for (const BatchOperand& operand : batch.operands) {
      OrderedJson elements = OrderedJson::array();
      for (const auto& element : operand.elements) elements.push_back(names(element));
      operands.push_back({{"input", operand.input}, {"view", operand.view}, {"elements", std::move(elements)}});
    }
    batches.push_back({{"function", f.name},
                       {"op", f.nodes[batch.nodes[0]].op->name},
                       {"nodes", batch.nodes},
                       {"operands", std::move(operands)}});
  }
  return {{"order", std::move(order)},
          {"batches", std::move(batches)},
          {"copies_declared", to_json(layout.declared)},
          {"copies", to_json(layout.copies)},
          {"state_copies", to_json(layout.state_copies)},
          {"conflicts", layout.conflicts}};
}

OrderedJson to_json(const WeightPlacement& placement, const Program& program) {
  OrderedJson weights = OrderedJson::array();
  for (const PlacedWeight& placed : placement.weights)
    weights.push_back({{"name", weight_name(program, program.weights[placed.weight])},
                       {"gates", placed.gates},
                       {"unit_columns", placed.unit_columns},
                       {"unit_bytes", placed.unit_bytes},
                       {"owner", placed.owner},
                       {"memory", memories(placed, placement.target)}});
  OrderedJson sizes = OrderedJson::array();
  for (const OnChipMemory& memory : placement.target.memories)
    sizes.push_back({{"name", memory.name}, {"bytes", memory.bytes}});
  return {{"target", placement.target.name},
          {"processors", placement.target.processors},
          {"memories", std::move(sizes)},
          {"weights", std::move(weights)},
          {"used_bytes", placement.used}};
}

}  // namespace cavs::inline v0_1
