#include "ir/builder.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

Value GradientRule::x(int i) const { return {&builder_, builder_.function().nodes[node_].in[i]}; }
Value GradientRule::y() const { return {&builder_, node_}; }
Value GradientRule::dy() const { return {&builder_, dy_}; }

const Attributes& GradientRule::attributes() const { return builder_.function().nodes[node_].attributes; }

const Shape& GradientRule::shape(int i) const {
  const Function& f = builder_.function();
  return f.nodes[f.nodes[node_].in[i]].shape;
}

int GradientRule::inputs() const { return static_cast<int>(builder_.function().nodes[node_].in.size()); }

Value GradientRule::apply(OpId op, std::vector<Value> in, Attributes attributes) const {
  return builder_.apply(op, in, std::move(attributes));
}

Value GradientRule::apply(const OpDef& op, const std::vector<Value>& in) const { return builder_.apply(op, in); }

void GradientRule::sink(OpId op, std::vector<Value> in, Attributes attributes) const {
  apply(op, std::move(in), std::move(attributes));
}

Value GradientRule::broadcast(const Value& scalar, const Shape& to) const {
  return scalar * apply(OpId::kConstant, {}, attr::Constant{.number = 1, .shape = to});
}

void GradientRule::add_columns(std::int32_t begin, const Value& g) {
  contributions.push_back({builder_.function().nodes[node_].in[0], g.id(), begin});
}

void GradientRule::Slot::operator+=(const Value& g) {
  rule_.contributions.push_back({rule_.builder_.function().nodes[rule_.node_].in[i_], g.id(), -1});
}

}  // namespace cavs::inline v0_1
