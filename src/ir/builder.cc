#include "ir/builder.h"

#include <map>

#include "support/check.h"

namespace cavs::inline v0_1 {

void FunctionBuilder::check_open(std::string_view what) const {
  user_check(f_ != nullptr,
             "[{}] takes a value of vertex function '{}' outside of it; values live inside the function that declares "
             "them: pass them on with scatter and gather, or push and pull",
             what, name_);
}

FunctionBuilder& builder_of(std::string_view what, const Value& value) {
  user_check(value.builder() != nullptr,
             "[{}] takes values of a vertex function; found none: values are made by gather, pull, lookups and "
             "parameters inside vertex_function",
             what);
  value.builder()->check_open(what);
  return *value.builder();
}

Value FunctionBuilder::apply(const OpDef& op, const std::vector<Value>& in, Attributes attributes) {
  check_open(op.name);
  check_inputs(op, in.size(), name_);
  if (op.expand) return op.expand(in, attributes_for(op, std::move(attributes), name_));
  std::vector<ValueId> ids;
  ids.reserve(in.size());
  for (const Value& value : in) {
    user_check(value.builder() == this,
               "[{}] input {} does not belong to vertex function '{}'; values live inside the function that declares "
               "them: pass them on with scatter and gather, or push and pull",
               op.name, ids.size(), name_);
    ids.push_back(value.id());
  }
  return {this, append(*f_, op, std::move(ids), std::move(attributes))};
}

Value FunctionBuilder::apply(OpId op, const std::vector<Value>& in, Attributes attributes) {
  return apply(find_op(op), in, std::move(attributes));
}

Value FunctionBuilder::parameter(const Parameter& p) {
  return apply(OpId::kParameter, {}, attr::Tensor{p.name, p.shape});
}

namespace {

struct ScatteredState {
  Shape shape;
  std::string function;
};

std::map<std::string, ScatteredState> scattered_states(const std::vector<Function>& functions) {
  std::map<std::string, ScatteredState> states;
  for (const Function& f : functions)
    for (const Node& node : f.nodes) {
      if (!node.is(OpId::kScatter) || !node.shape_known) continue;
      const auto [it, fresh] = states.try_emplace(node.attribute_name(), ScatteredState{node.shape, f.name});
      user_check(fresh || it->second.shape == node.shape,
                 "[scatter] state '{}' is {} in vertex function '{}' and {} in '{}'; a state has one shape everywhere",
                 node.attribute_name(), to_string(it->second.shape), it->second.function, to_string(node.shape),
                 f.name);
    }
  return states;
}

/// Infers the shape of every node of all functions once. Returns true if any shape became known or changed.
bool infer_round(std::vector<Function>& functions, const std::map<std::string, ScatteredState>& states) {
  bool changed = false;
  for (Function& f : functions)
    for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
      Node& node = f.nodes[id];
      const bool known = node.shape_known;
      const Shape shape = node.shape;
      if (is_gather(node))
        if (const auto it = states.find(node.attribute_name()); it != states.end())
          std::get<attr::Children>(node.attributes).shape = it->second.shape;
      infer(f, node, id);
      changed |= known != node.shape_known || shape != node.shape;
    }
  return changed;
}

void infer_all(std::vector<Function>& functions) {
  while (infer_round(functions, scattered_states(functions))) {
  }
}

/// Finds element-wise nodes that have inputs of unknown shape, and gives each the shape of its largest known input.
/// That input is a scalar, because infer() has already used a larger one as the node's shape.
void assume_scalars(std::vector<Function>& functions) {
  for (Function& f : functions)
    for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
      Node& node = f.nodes[id];
      if (!node.shape_known) infer(f, node, id);  // this loop may have set the shapes of its inputs
      if (node.shape_known || node.op->kind != OpKind::kElementwise) continue;
      for (const ValueId input : node.in) {
        const Node& x = f.nodes[input];
        if (!x.shape_known || (node.shape_known && x.shape.dims.size() <= node.shape.dims.size())) continue;
        node.shape = x.shape;
        node.shape_known = true;
      }
    }
}

/// Finds the shapes of states that are scalars. An element-wise operator does not determine the shape of a scalar
/// input, since scalars are broadcast to any width. So such a state is assumed to be a scalar if all functions agree.
void resolve_scalar_states(std::vector<Function>& functions) {
  std::size_t known = scattered_states(functions).size();
  for (;;) {
    assume_scalars(functions);
    const auto assumed = scattered_states(functions);
    while (infer_round(functions, assumed)) {
    }
    if (assumed.size() == known) return;
    for (const auto& [name, state] : scattered_states(functions)) {
      const auto it = assumed.find(name);
      user_check(it == assumed.end() || it->second.shape == state.shape,
                 "[scatter] the shape of state '{}' depends on itself, in vertex function '{}': gathered as {} it is "
                 "{}; expected a shape that follows from parameters or pulls",
                 name, state.function, to_string(it->second.shape), to_string(state.shape));
    }
    infer_all(functions);
    const std::size_t found = scattered_states(functions).size();
    if (found <= known) return;  // no shape of a further state was found
    known = found;
  }
}

}  // namespace

void resolve_states(std::vector<Function>& functions, bool complete) {
  infer_all(functions);
  if (!complete) return;
  resolve_scalar_states(functions);
  for (const Function& f : functions)
    for (ValueId id = 0; id < static_cast<ValueId>(f.nodes.size()); ++id) {
      const Node& node = f.nodes[id];
      if (node.shape_known) continue;
      if (is_gather(node))
        user_error(
            "[{}] the shape of state '{}' is not known, in vertex function '{}'; no vertex function scatters it "
            "with a shape that does not depend on itself",
            node.op->name, node.attribute_name(), f.name);
      user_error("[{}] the shape of {} is not known, in vertex function '{}'", node.op->name, describe(f, id), f.name);
    }
}

}  // namespace cavs::inline v0_1
