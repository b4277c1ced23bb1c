#include "compile/unwanted.h"

#include <algorithm>
#include <set>
#include <string>

#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

using States = std::set<std::string>;

bool is_wanted(const Node& sink, const CompileOptions& options, const States& states) {
  if (sink.is(OpId::kLoss)) return options.loss;
  if (sink.is(OpId::kScatter)) return states.contains(sink.attribute_name());
  const auto& pushes = options.pushes;
  return !pushes || std::ranges::find(*pushes, sink.attribute_name()) != pushes->end();
}

/// Marks the nodes of F that a requested sink needs.
std::vector<char> needed(const Function& f, const CompileOptions& options, const States& states) {
  std::vector<char> is_needed(f.nodes.size(), 0);
  for (std::size_t id = f.nodes.size(); id-- > 0;) {
    const Node& node = f.nodes[id];
    if (node.op->kind == OpKind::kSink) is_needed[id] = is_wanted(node, options, states) ? 1 : 0;
    for (const ValueId input : node.in) is_needed[input] |= is_needed[id];
  }
  return is_needed;
}

/// Returns the states that requested values need: adds the states of needed gathers until there are no new ones.
States wanted_states(const std::vector<Function>& functions, const CompileOptions& options) {
  States states;
  for (bool grown = true; grown;) {
    const std::size_t before = states.size();
    for (const Function& f : functions) {
      const std::vector<char> is_needed = needed(f, options, states);
      for (std::size_t id = 0; id < f.nodes.size(); ++id)
        if (is_needed[id] != 0 && is_gather(f.nodes[id])) states.insert(f.nodes[id].attribute_name());
    }
    grown = states.size() > before;
  }
  return states;
}

States all_states(const std::vector<Function>& functions) {
  States states;
  for (const Function& f : functions)
    for (const Node& node : f.nodes)
      if (node.is(OpId::kScatter)) states.insert(node.attribute_name());
  return states;
}

Function without_dropout(const Function& f) {
  return rewrite(f, [](Function& out, const Node& node, const std::vector<ValueId>&) -> ValueId {
    if (!node.is(OpId::kDropoutMask)) return -1;
    return append(out, OpId::kConstant, {}, attr::Constant{.number = 1, .shape = node.shape});
  });
}

}  // namespace

std::vector<Function> drop_unwanted(std::vector<Function> functions, const CompileOptions& options) {
  const auto any = [&](const States& states) {
    return std::ranges::any_of(functions, [&](const Function& f) {
      return std::ranges::any_of(needed(f, options, states), [](char node) { return node != 0; });
    });
  };
  const States states = any({}) ? wanted_states(functions, options) : all_states(functions);
  for (Function& f : functions) f = select_nodes(f, needed(f, options, states));
  if (!options.training || !options.dropout)
    for (Function& f : functions) f = without_dropout(f);
  return functions;
}

}  // namespace cavs::inline v0_1
