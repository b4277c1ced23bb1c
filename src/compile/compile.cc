#include <algorithm>
#include <map>
#include <utility>

#include "compile/fingerprint.h"
#include "compile/loss_labels.h"
#include "compile/lower.h"
#include "compile/passes.h"
#include "compile/target.h"
#include "compile/unwanted.h"
#include "declare/network.h"
#include "support/suggest.h"

namespace cavs::inline v0_1 {
namespace {

void check_disabled(const std::vector<std::string>& disabled) {
  const std::vector<std::string_view> known = optional_passes();
  for (const std::string& name : disabled)
    user_check(std::find(known.begin(), known.end(), name) != known.end(), "no pass '{}' can be switched off; {}", name,
               suggest(name, known));
}

std::vector<State> find_states(const std::vector<Function>& functions) {
  std::vector<State> states;
  for (const Function& f : functions)
    for (const Node& node : f.nodes)
      if (node.is(OpId::kScatter) &&
          std::none_of(states.begin(), states.end(), [&](const State& s) { return s.name == node.attribute_name(); }))
        states.push_back({node.attribute_name(), static_cast<std::int32_t>(node.shape.size())});
  return states;
}

void check_pushes(const std::vector<Function>& functions, const CompileOptions& options) {
  std::vector<std::string_view> known;
  std::map<std::string_view, std::pair<const Function*, const Node*>> first;
  for (const Function& f : functions)
    for (const Node& node : f.nodes) {
      if (!node.is(OpId::kPush)) continue;
      known.push_back(node.attribute_name());
      const auto [other, one] = first.try_emplace(node.attribute_name(), &f, &node).first->second;
      user_check(
          one->shape == node.shape,
          "[push] port '{}' has shape {} in vertex function '{}' and {} in '{}'; a port has one shape everywhere",
          node.attribute_name(), to_string(one->shape), other->name, to_string(node.shape), f.name);
    }
  if (!options.pushes) return;
  for (const std::string& port : *options.pushes)
    user_check(std::find(known.begin(), known.end(), port) != known.end(),
               "no vertex function pushes the requested output '{}'; {}", port, suggest(port, known));
}

Function run_passes(Function f, const CompileOptions& options, const Target& target, std::vector<std::string>& log) {
  std::vector<std::string> decisions;
  const PassContext context{.training = options.training,
                            .pull_gradients = options.pull_gradients,
                            .push_gradients = options.push_gradients,
                            .fuse = target.fuses_loops && is_on(options, "fuse"),
                            .decisions = &decisions};
  for (const Pass& pass : pass_list()) {
    if (pass.optional && !is_on(options, pass.name)) {
      log.push_back(fmt::format("{}: {} is off", f.name, pass.name));
      continue;
    }
    const std::size_t before = f.nodes.size();
    f = pass.run(std::move(f), context);
    log.push_back(fmt::format("{}: {}: {} -> {} nodes", f.name, pass.name, before, f.nodes.size()));
    for (const std::string& decision : decisions) log.push_back(fmt::format("{}: {}: {}", f.name, pass.name, decision));
    decisions.clear();
  }
  return f;
}

}  // namespace

namespace {

/// Returns a program with all parts that depend on the target: the results of passes, stages and instructions.
std::shared_ptr<const Program> made_for(Program program, const Target& target) {
  CAVS_ASSERT(target.slice_columns > 0 && target.sum_rows > 0 && target.tile_sums > 0 && target.alignment > 0);
  auto made = std::make_shared<Program>(std::move(program));
  made->target = target;
  made->sites.resize(made->states.size());
  CompileOptions used = made->options;
  used.push_gradients = made->push_gradients;
  for (TypeProgram& type : made->types) {
    type.function = run_passes(type.declared, used, target, made->log);
    type.stages = find_stages(type.function, {is_on(used, "eager"), is_on(used, "lazy")});
  }
  for (std::int32_t t = 0; t < static_cast<std::int32_t>(made->types.size()); ++t) lower(*made, t);
  mark_factors(*made);
  return made;
}

}  // namespace

std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options) {
  return compile(model, options, Target{});
}

std::vector<PassInfo> compiler_passes() {
  std::vector<PassInfo> all;
  for (const Pass& pass : pass_list()) all.push_back({std::string(pass.name), std::string(pass.doc), pass.optional});
  for (const Switch& item : switch_list()) all.push_back({std::string(item.name), std::string(item.doc), true});
  return all;
}

std::vector<std::string> compiler_log(const Program& program) { return program.log; }

std::vector<FunctionPorts> function_ports(const Program& program) {
  std::vector<FunctionPorts> all;
  const auto reads = [](const Function& f, const std::string& port) {
    return std::ranges::any_of(f.nodes,
                               [&](const Node& node) { return node.is(OpId::kPull) && node.attribute_name() == port; });
  };
  const auto ports = [](const std::vector<Output>& outputs) {
    std::vector<FunctionPorts::Port> ports;
    for (const Output& output : outputs) ports.push_back({output.port, output.operand.width});
    return ports;
  };
  for (const TypeProgram& type : program.types) {
    FunctionPorts& function = all.emplace_back(FunctionPorts{.function = type.function.name,
                                                             .pulls = {},
                                                             .pushes = ports(type.pushes),
                                                             .states = ports(type.scatters),
                                                             .pull_gradients = ports(type.pull_gradients)});
    for (const GraphSchema::FloatPort& port : program.float_ports)
      if (reads(type.function, port.name)) function.pulls.push_back({port.name, port.width});
  }
  return all;
}

std::uint64_t fingerprint(const Program& program) { return program.fingerprint; }

std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options, const Target& target) {
  user_check(!model.functions().empty(), "the model has no vertex function; declare one with vertex_function");
  check_disabled(options.disabled_passes);
  std::vector<Function> functions = connected_functions(model);
  check_pushes(functions, options);
  Program program;
  program.connected = model.is_network();
  program.fingerprint = fingerprint_of(functions);  // all declared functions, so it is equal in training and inference
  for (std::size_t t = 0; t < functions.size(); ++t) {
    TypeProgram& type = program.types.emplace_back();
    type.is_static = program.connected && is_static(model.functions()[t]);
    type.first_edge_slot = first_edge_slot(functions[t]);
    type.max_child_slots = max_child_slots(functions[t]);
  }
  functions = drop_unwanted(std::move(functions), options);
  program.options = options;
  program.parameters = model.parameters();
  program.states = find_states(functions);
  const bool any_loss = std::any_of(functions.begin(), functions.end(), [](const Function& f) {
    return std::any_of(f.nodes.begin(), f.nodes.end(), [](const Node& node) { return node.is(OpId::kLoss); });
  });
  program.push_gradients = options.push_gradients || !any_loss;
  for (std::size_t t = 0; t < functions.size(); ++t) {
    program.types[t].label_ports = label_ports(functions[t]);
    program.types[t].declared = std::move(functions[t]);
  }
  return made_for(std::move(program), target);
}

/// Float ports get the numbers that they have in `other`, since graphs that are bound to `other` use them.
std::shared_ptr<const Program> compile(const Program& other, const Target& target) {
  Program program;
  program.connected = other.connected;
  program.push_gradients = other.push_gradients;
  program.fingerprint = other.fingerprint;
  program.options = other.options;
  program.parameters = other.parameters;
  program.states = other.states;
  program.float_ports = other.float_ports;
  for (const TypeProgram& type : other.types) {
    TypeProgram& copy = program.types.emplace_back();
    copy.is_static = type.is_static;
    copy.label_ports = type.label_ports;
    copy.declared = type.declared;
    copy.first_edge_slot = type.first_edge_slot;
    copy.max_child_slots = type.max_child_slots;
  }
  return made_for(std::move(program), target);
}

}  // namespace cavs::inline v0_1
