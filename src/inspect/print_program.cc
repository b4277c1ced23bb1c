#include "inspect/print_program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "support/table.h"

namespace cavs::inline v0_1 {
namespace {

std::string domain_name(const TypeProgram& type, DomainId domain) {
  constexpr std::string_view kNames[] = {"parameter", "vertex", "edge"};
  if (domain < kPartialRows) return std::string(kNames[domain]);
  return to_string(type.partial_domains[domain - kPartialRows]);
}

std::string index_name(const TypeProgram& type, const IndexRequest& index) {
  switch (index.kind) {
    case IndexKind::kGather:
      return fmt::format("gather({})", index.k);
    case IndexKind::kChildren:
      return "children";
    case IndexKind::kEdgeVertex:
    case IndexKind::kPartialVertex:
      return "vertex";
    case IndexKind::kVertexPartial:
    case IndexKind::kEdgePartial:
      return domain_name(type, index.domain);
    case IndexKind::kPort:
    case IndexKind::kPullRow:
    case IndexKind::kPullEdgeRow:
      return index.port;
  }
  return "?";
}

std::string storage_name(const Program& program, const TypeProgram& type, const Operand& o) {
  switch (o.kind) {
    case StorageKind::kTensor:
      return type.tensors[o.id].tile < 0 ? type.tensors[o.id].name : fmt::format("tile({})", type.tensors[o.id].name);
    case StorageKind::kState:
      return fmt::format("state({})", program.states[o.id].name);
    case StorageKind::kStateGradient:
      return fmt::format("dstate({})", program.states[o.id].name);
    case StorageKind::kParameter:
      return program.parameters[o.id].name;
    case StorageKind::kParameterGradient:
      return fmt::format("d{}", program.parameters[o.id].name);
    case StorageKind::kPull:
      return fmt::format("pull({})", program.float_ports[o.id].name);
    case StorageKind::kLossGradient:
      return "1/samples";
  }
  return "?";
}

std::string operand_text(const Program& program, const TypeProgram& type, const Operand& o) {
  std::string text = storage_name(program, type, o);
  const bool part = o.column != 0 || (o.stride != 0 && o.width != o.stride);
  if (part) text += fmt::format("[{}:{}]", o.column, o.column + o.width);
  if (o.index >= 0) text += fmt::format("@{}", index_name(type, type.indices[o.index]));
  return text;
}

std::string operand_list(const Program& program, const TypeProgram& type, const std::vector<Operand>& operands) {
  std::vector<std::string> texts;
  for (const Operand& o : operands) texts.push_back(operand_text(program, type, o));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Returns text such as "state(h)@gather(0) * [Ul | Fl] + state(h)@gather(1) * [Ur | Fr]".
std::string factor_list(const Program& program, const TypeProgram& type, const std::vector<Operand>& in,
                        const std::vector<Factor>& factors) {
  std::vector<std::string> terms;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    std::vector<std::string> names;
    for (std::int32_t p : factors[k].parameters) names.push_back(program.parameters[p].name);
    const std::string weights = fmt::format("{}", fmt::join(names, " | "));
    terms.push_back(fmt::format("{} * {}", operand_text(program, type, in[k]),
                                names.size() > 1 ? fmt::format("[{}]", weights) : weights));
  }
  return fmt::format("{}", fmt::join(terms, " + "));
}

/// Returns the operators of a fused program ("sigmoid+tanh+multiply"), the table of a lookup, or the weight of a loss.
std::string detail(const Program& program, const TypeProgram& type, const Instruction& i) {
  if (const auto* entropy = i.as<LinearCrossEntropy>()) return program.parameters[entropy->parameter].name;
  if (const auto* lookup = i.as<LookupGradient>()) return program.parameters[lookup->parameter].name;
  if (!i.is<Elementwise>()) return "";
  std::vector<std::string> ops;
  for (ValueId id : i.values) ops.emplace_back(type.function.nodes[id].op->name);
  return fmt::format("{}", fmt::join(ops, "+"));
}

std::vector<std::string> line(const Program& program, const TypeProgram& type, const Instruction& i, std::string level,
                              std::string name) {
  const auto* product = i.as<Matmul>();
  std::string arguments =
      product != nullptr ? factor_list(program, type, i.in, product->factors) : operand_list(program, type, i.in);
  if (const std::string more = detail(program, type, i); !more.empty()) arguments += fmt::format("; {}", more);
  return {std::move(level), std::move(name), domain_name(type, i.domain),
          operand_list(program, type, i.out) + " <- " + arguments};
}

std::string group_text(const RowGroup& group) {
  std::string text = fmt::format("tile {} wide", group.tile_widths[0]);
  if (group.tile_widths[1] > 0) text += fmt::format(", {} per edge", group.tile_widths[1]);
  return text;
}

}  // namespace

std::string instructions_to_text(const Program& program, std::int32_t type_number) {
  const TypeProgram& type = program.types[type_number];
  std::string text = fmt::format("code of '{}'\n", type.function.name);
  for (bool backward : {false, true})
    for (Stage stage : {Stage::kEager, Stage::kTask, Stage::kLazy}) {
      const Code& code = type.at(backward, stage);
      if (code.empty()) continue;
      text += fmt::format("{} {}:\n", backward ? "backward" : "forward", to_string(stage));
      std::vector<std::vector<std::string>> rows;
      for (const Instruction& i : code) {
        const std::string level = fmt::format("{}{}", i.barrier ? "|" : " ", i.level);
        const auto* group = i.as<RowGroup>();
        if (group == nullptr) {
          rows.push_back(line(program, type, i, level, std::string(name_of(i))));
          continue;
        }
        rows.push_back({level, std::string(name_of(i)), domain_name(type, i.domain), group_text(*group)});
        for (const Instruction& member : group->members)
          rows.push_back(line(program, type, member, "", fmt::format("  {}", name_of(member))));
      }
      text += align_columns(rows, "  ");
    }
  return text;
}

std::string memory_to_text(const Program& program, const Plan& plan) {
  struct Item {
    std::string name, rows;
    std::int64_t width, offset;
  };
  std::vector<Item> items;
  for (std::size_t s = 0; s < program.states.size(); ++s) {
    const State& state = program.states[s];
    items.push_back({fmt::format("state '{}'", state.name), "vertex", state.width, plan.states[s]});
    if (program.options.training)
      items.push_back(
          {fmt::format("gradient of state '{}'", state.name), "edge", state.width, plan.state_gradients[s]});
  }
  for (std::size_t t = 0; t < program.types.size(); ++t) {
    const TypeProgram& type = program.types[t];
    for (std::size_t i = 0; i < type.tensors.size(); ++i) {
      const Tensor& tensor = type.tensors[i];
      if (tensor.tile >= 0) continue;  // the tensor is in a row group's tile, not in the arena
      std::string rows = domain_name(type, tensor.domain) + (tensor.spans_tasks ? "" : ", one task");
      if (plan.is_view(tensor)) rows += ", view";
      if (tensor.max_rows > 0) rows += fmt::format(", at most {}", tensor.max_rows);
      items.push_back({fmt::format("'{}' of '{}'", tensor.name, type.function.name), std::move(rows), tensor.width,
                       plan.types[t].tensors[i]});
    }
  }
  std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.offset < b.offset; });
  std::vector<std::vector<std::string>> rows{{"tensor", "rows", "width", "offset", "bytes"}};
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::int64_t end = i + 1 < items.size() ? items[i + 1].offset : plan.arena;
    rows.push_back({items[i].name, items[i].rows, fmt::format("{}", items[i].width),
                    fmt::format("{}", items[i].offset * 4), fmt::format("{}", (end - items[i].offset) * 4)});
  }
  return align_columns(rows) +
         fmt::format("arena {} bytes, index lists {} bytes\n", plan.arena * 4, plan.bytes() - plan.arena * 4);
}

std::string tasks_to_text(const Program& program, const Schedule& schedule, std::int64_t lower_bound) {
  std::vector<std::vector<std::string>> rows{{"step", "type", "vertices", "rows"}};
  for (std::size_t i = 0; i < schedule.tasks.size(); ++i) {
    const Task& task = schedule.tasks[i];
    rows.push_back({fmt::format("{}", i), program.types[task.type].function.name,
                    fmt::format("{}", task.end - task.begin), fmt::format("{}-{}", task.begin, task.end - 1)});
  }
  return align_columns(rows) + fmt::format("{} tasks, lower bound {}; {} vertices, {:.1f} per task\n",
                                           schedule.tasks.size(), lower_bound, schedule.row.size(),
                                           static_cast<double>(schedule.row.size()) /
                                               static_cast<double>(std::max<std::size_t>(schedule.tasks.size(), 1)));
}

}  // namespace cavs::inline v0_1
