#include "inspect/print_layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/op.h"
#include "support/bytes.h"
#include "support/table.h"

namespace cavs::inline v0_1 {
namespace {

std::string elements_text(const Elements& elements, const MemoryLayout& layout, const Program& program) {
  std::vector<std::string> texts;
  for (const auto& element : elements) {
    std::vector<std::string> variables;
    variables.reserve(element.size());
    for (std::int32_t variable : element) variables.push_back(variable_text(layout.variables[variable], program));
    texts.push_back(fmt::format("{}", fmt::join(variables, " ")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

const char* memory_text(bool view) { return view ? "view" : "copy"; }

/// Returns one line per operand of each batch. Omits batches of one node, whose operands need not be side by side.
std::string batches_text(const MemoryLayout& layout, const Program& program, std::int32_t function) {
  std::vector<std::vector<std::string>> rows{{"operator", "operand", "declared", "layout", "elements"}};
  for (const NodeBatch& batch : layout.batches) {
    if (batch.function != function) continue;
    const Node& first = program.types[function].function.nodes[batch.nodes[0]];
    if (batch.nodes.size() == 1 && first.op->kind != OpKind::kConcat) continue;
    std::string what = fmt::format("{} x {}", batch.nodes.size(), first.op->name);
    for (const BatchOperand& operand : batch.operands) {
      rows.push_back({what, operand.input < 0 ? "result" : fmt::format("input {}", operand.input),
                      memory_text(operand.view_declared), memory_text(operand.view),
                      elements_text(operand.elements, layout, program)});
      what.clear();
    }
  }
  return rows.size() > 1 ? align_columns(rows, "  ") : "  no operators run together\n";
}

template <typename Belongs>
std::string order_text(const MemoryLayout& layout, const Program& program, Belongs belongs) {
  std::vector<std::string> names;
  for (std::int32_t v : layout.order)
    if (belongs(layout.variables[v])) names.push_back(variable_text(layout.variables[v], program));
  return fmt::format("{}", fmt::join(names, " "));
}

std::string states_text(const MemoryLayout& layout, const Program& program) {
  if (layout.states.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const StateRecord& record : layout.states) {
    const std::string what = record.child == StateRecord::kScattered ? "scatters"
                             : record.child == StateRecord::kAllChildren
                                 ? "gathers from all children"
                                 : fmt::format("gathers from child {}", record.child);
    rows.push_back({program.types[record.function].function.name, what,
                    fmt::format("{}", fmt::join(record.states, " ")), record.view ? "as one block" : "one by one"});
  }
  return fmt::format("states\n{}", align_columns(rows, "  "));
}

}  // namespace

std::string variable_text(const Variable& variable, const Program& program) {
  const Node& node = program.types[variable.function].function.nodes[variable.value];
  const std::string name = variable.is_parameter ? node.attribute_name() : fmt::format("%{}", variable.value);
  if (variable.width == node.shape.size()) return name;
  return fmt::format("{}[{}:{}]", name, variable.begin, variable.begin + variable.width);
}

std::string to_text(const CopyCost& cost) {
  if (cost.kernels == 0) return "none";
  std::string text = fmt::format("{} kernel{}", cost.kernels, cost.kernels == 1 ? "" : "s");
  if (cost.row_bytes > 0) text += fmt::format(", {} per vertex", format_bytes(cost.row_bytes));
  if (cost.fixed_bytes > 0) text += fmt::format(", {} of parameters per task", format_bytes(cost.fixed_bytes));
  return text;
}

std::string to_text(const MemoryLayout& layout, const Program& program) {
  std::string text;
  for (std::size_t t = 0; t < program.types.size(); ++t) {
    const auto& [policy, batches, bound] = layout.batching[t];
    const auto in_the_end = std::count_if(layout.batches.begin(), layout.batches.end(), [&](const NodeBatch& batch) {
      return batch.function == static_cast<std::int32_t>(t);
    });
    text += fmt::format("layout of vertex function '{}': {} batches by policy '{}', lower bound {}{}\n",
                        program.types[t].function.name, batches, policy, bound,
                        in_the_end > batches ? fmt::format(", split to {}", in_the_end) : "");
    text += batches_text(layout, program, static_cast<std::int32_t>(t));
    const auto of_function = [&](const Variable& v) {
      return !v.is_parameter && v.function == static_cast<std::int32_t>(t);
    };
    text += fmt::format("  order: {}\n", order_text(layout, program, of_function));
  }
  text += fmt::format("order of parameters: {}\n",
                      order_text(layout, program, [](const Variable& v) { return v.is_parameter; }));
  text += states_text(layout, program);
  text += fmt::format("copies in the order of declaration: {}\ncopies in the order of the layout: {}\n",
                      to_text(layout.declared), to_text(layout.copies));
  if (!layout.states.empty())
    text += fmt::format("copies of states: {}, in the order of declaration {}\n", to_text(layout.state_copies),
                        to_text(layout.declared_states));
  return text + fmt::format("PQ-tree: {} variables, {} reductions touched {} nodes; {} operands given up\n",
                            layout.variables.size(), layout.reductions, layout.touched, layout.conflicts);
}

}  // namespace cavs::inline v0_1
