#include <algorithm>

#include "compile/passes.h"
#include "ir/builder.h"

namespace cavs::inline v0_1 {
namespace {

class Differentiation {
 public:
  Differentiation(Function& f, const PassContext& context)
      : f_(f), context_(context), builder_(f), contributions_(f.nodes.size()) {}

  void run() {
    find_needed();
    for (ValueId id = f_.forward; id-- > 0;) {
      const OpDef& op = *f_.nodes[id].op;
      if (op.kind == OpKind::kSink)
        apply_sink(id);
      else if (needed_[id] && !contributions_[id].empty())
        apply_value(id);
    }
  }

 private:
  using Contribution = GradientRule::Contribution;

  /// Finds the values whose gradient reaches a parameter, a state or a wanted pull.
  void find_needed() {
    needed_.assign(f_.nodes.size(), 0);
    for (ValueId id = 0; id < f_.forward; ++id) {
      const Node& node = f_.nodes[id];
      needed_[id] = node.is({OpId::kParameter, OpId::kLookup, OpId::kGather, OpId::kChildren}) ||
                    (node.is(OpId::kPull) && context_.pull_gradients);
      for (ValueId input : node.in) needed_[id] = needed_[id] || (needed_[input] && !f_.nodes[input].is_index);
    }
  }

  void apply_sink(ValueId id) {
    if (f_.nodes[id].is(OpId::kPush) && !context_.push_gradients) return;
    apply_rule(id, -1);
  }

  void apply_value(ValueId id) {
    if (f_.nodes[id].is(OpId::kParameter)) return accumulate(id);
    if (f_.nodes[id].is(OpId::kPull)) return apply_pull(id);
    apply_rule(id, total(id).id());
  }

  /// Adds the gradient of a pull. If several nodes pull a port, their gradients are summed at the first pull.
  void apply_pull(ValueId id) {
    const std::string port = f_.nodes[id].attribute_name();
    ValueId first = 0;
    while (!f_.nodes[first].is(OpId::kPull) || f_.nodes[first].attribute_name() != port) ++first;
    if (first == id) {
      builder_.apply(OpId::kPullGradient, {total(id)}, attr::Named{port});
      return;
    }
    contributions_[first].insert(contributions_[first].end(), contributions_[id].begin(), contributions_[id].end());
  }

  void apply_rule(ValueId id, ValueId dy) {
    if (!f_.nodes[id].op->gradient) return;
    GradientRule rule(builder_, id, dy);
    f_.nodes[id].op->gradient(rule);
    for (Contribution c : rule.contributions) {
      if (!needed_[c.input]) continue;
      // A sink reads a shared value once per vertex, so each vertex that shares the value adds to its gradient.
      const DomainKind input = f_.nodes[c.input].domain.kind;
      if (dy < 0 && f_.nodes[c.gradient].domain.kind < DomainKind::kVertex &&
          (input == DomainKind::kParameter || input == DomainKind::kDistinct))
        c.gradient = to_domain({&builder_, c.gradient}, f_.nodes[id].domain).id();
      contributions_[c.input].push_back(c);
    }
  }

  /// Adds each contribution to the parameter's gradient separately, so that products can write to it in place.
  void accumulate(ValueId id) {
    const auto is_part = [](const Contribution& c) { return c.begin >= 0; };
    if (std::any_of(contributions_[id].begin(), contributions_[id].end(), is_part)) {
      builder_.apply(OpId::kAccumulate, {total(id)}, attr::Named{f_.nodes[id].attribute_name()});
      return;
    }
    for (const Contribution& c : contributions_[id])
      builder_.apply(OpId::kAccumulate, {reduce({&builder_, c.gradient}, id)},
                     attr::Named{f_.nodes[id].attribute_name()});
  }

  Value total(ValueId id) {
    std::vector<Contribution> columns;
    Value sum;
    const auto add = [&](Value g) { sum = sum.builder() ? sum + g : g; };
    for (const Contribution& c : contributions_[id]) {
      if (c.begin >= 0)
        columns.push_back(c);
      else
        add(reduce({&builder_, c.gradient}, id));
    }
    while (!columns.empty())
      add(reduce(join_columns(columns, static_cast<std::int32_t>(f_.nodes[id].shape.size())), id));
    return sum;
  }

  /// Removes from `columns` contributions whose columns do not overlap, and returns their concatenation, with zeros in
  /// the gaps. Overlapping contributions stay in `columns`.
  Value join_columns(std::vector<Contribution>& columns, std::int32_t width) {
    std::stable_sort(columns.begin(), columns.end(),
                     [](const Contribution& a, const Contribution& b) { return a.begin < b.begin; });
    std::vector<Value> parts;
    std::vector<Contribution> left;
    std::int32_t end = 0;
    const auto fill = [&](std::int32_t to) {
      if (to > end) parts.push_back(builder_.apply(OpId::kConstant, {}, attr::Constant{.shape = {to - end}}));
    };
    for (const Contribution& c : columns) {
      if (c.begin < end) {
        left.push_back(c);
        continue;
      }
      fill(c.begin);
      parts.push_back({&builder_, c.gradient});
      end = c.begin + static_cast<std::int32_t>(f_.nodes[c.gradient].shape.size());
    }
    fill(width);
    columns = std::move(left);
    return parts.size() == 1 ? parts[0] : side_by_side(parts);
  }

  /// Returns the concatenation of `parts`. If one reduction made all of them, reduces its concatenated inputs once.
  Value side_by_side(std::vector<Value> parts) {
    const Node first = f_.nodes[parts[0].id()];
    const bool reduced = first.is({OpId::kCompact, OpId::kSegmentSum, OpId::kSumRows});
    for (const Value& part : parts) {
      const Node& node = f_.nodes[part.id()];
      const auto rows = [&](const Node& of) -> const Domain& { return f_.nodes[of.in[0]].domain; };
      if (!reduced || node.op != first.op || node.attributes != first.attributes || rows(node) != rows(first))
        return builder_.apply(OpId::kConcat, parts);
    }
    for (Value& part : parts) part = {&builder_, f_.nodes[part.id()].in[0]};
    return builder_.apply(*first.op, {builder_.apply(OpId::kConcat, parts)}, first.attributes);
  }

  /// Sums gradient `g` over the broadcasts between value `of` and the node that made `g`, and returns the sum.
  Value reduce(Value g, ValueId of) {
    const Shape shape = f_.nodes[of].shape;
    if (f_.nodes[g.id()].shape.size() > 1 && shape.size() == 1) g = builder_.apply(OpId::kSumFeatures, {g});
    if (f_.nodes[g.id()].shape != shape && f_.nodes[g.id()].shape.size() == shape.size())
      g = builder_.apply(OpId::kReshape, {g}, attr::Target{shape});
    if (f_.nodes[g.id()].shape != shape)
      g = g * builder_.apply(OpId::kConstant, {}, attr::Constant{.number = 1, .shape = shape});
    return to_domain(g, f_.nodes[of].domain);
  }

  Value to_domain(Value g, const Domain& target) {
    const auto domain = [&] { return f_.nodes[g.id()].domain; };
    if (domain() == target) return g;
    if (target.kind == DomainKind::kParameter) return builder_.apply(OpId::kSumRows, {g});
    if (domain().kind == DomainKind::kEdge) g = builder_.apply(OpId::kSumChildren, {g});
    if (is_partial(domain()) || domain().kind < target.kind)  // `g` has fewer rows, or rows of other vertices
      g = builder_.apply(OpId::kExpand, {g},
                         attr::Rows{is_partial(target) && is_partial(domain()) ? Domain{DomainKind::kVertex} : target});
    if (domain().kind == DomainKind::kVertex && is_partial(target))
      g = builder_.apply(target.kind == DomainKind::kDistinct ? OpId::kSegmentSum : OpId::kCompact, {g},
                         attr::Rows{target});
    return g;
  }

  Function& f_;
  const PassContext& context_;
  FunctionBuilder builder_;
  std::vector<std::vector<Contribution>> contributions_;
  std::vector<char> needed_;
};

}  // namespace

Function differentiate(Function f, const PassContext& context) {
  if (!context.training) return f;
  CAVS_ASSERT(!f.differentiated());
  f.nodes.reserve(f.nodes.size() * 8);
  Differentiation(f, context).run();
  return f;
}

}  // namespace cavs::inline v0_1
