#include <utility>
#include <vector>

#include "compile/passes.h"
#include "compile/stages.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// Joins products that are added: those of F, or those of ∂F.
class JoinProducts {
 public:
  JoinProducts(const Function& f, bool backward)
      : f_(f), backward_(backward), stages_(find_stages(f, {})), uses_(f.nodes.size(), 0), inputs_(f.nodes.size()) {
    for (const Node& node : f.nodes)
      for (ValueId input : node.in) ++uses_[input];
  }

  Function run() {
    return remove_dead(rewrite(f_, [&](Function& out, const Node& node, const std::vector<ValueId>& in) -> ValueId {
      const auto id = static_cast<ValueId>(&node - f_.nodes.data());
      inputs_[id] = in;
      const std::vector<ValueId> products = is_sum(id) ? terms_of(id, id) : std::vector<ValueId>{};
      if (products.empty()) return -1;
      std::vector<ValueId> pairs;
      for (ValueId product : products) pairs.insert(pairs.end(), inputs_[product].begin(), inputs_[product].end());
      const ValueId sum = append(out, *f_.nodes[products[0]].op->sum, pairs);
      out.nodes[sum].name = node.name;
      return sum;
    }));
  }

 private:
  const Node& node(ValueId id) const { return f_.nodes[id]; }
  bool is_sum(ValueId id) const { return node(id).is(OpId::kAdd) && (id >= f_.forward) == backward_; }

  /// True if node `id`, a term of `sum`, has the rows and columns of `sum`, and only `sum` reads it.
  bool is_own(ValueId id, ValueId sum) const {
    return id == sum || (uses_[id] == 1 && (id >= f_.forward) == (sum >= f_.forward) &&
                         node(id).domain == node(sum).domain && node(id).shape == node(sum).shape);
  }

  /// Returns the products that are added one after the other to make `id`; empty if `id` is not such a sum.
  std::vector<ValueId> terms_of(ValueId id, ValueId sum) const {
    const OpId op = node(id).op->id;
    if (!is_own(id, sum)) return {};
    if (op == OpId::kMatmul || op == OpId::kMatmulTransposed) return {id};
    // A product with one column is computed as sums in vector lanes, so another product cannot continue its sum.
    if (op == OpId::kBatchMatmul && node(id).shape.dims.size() == 2 && node(id).shape.dims[1] > 1) return {id};
    if (op != OpId::kAdd) return {};
    std::vector<ValueId> first = terms_of(node(id).in[0], sum), second = terms_of(node(id).in[1], sum);
    if (first.size() < second.size()) std::swap(first, second);  // a + b is bit-identical to b + a
    if (second.size() != 1 || !run_together(first[0], second[0])) return {};
    if (node(first[0]).op->kind == OpKind::kRow && first.size() == 2) return {};  // its kernel has at most four inputs
    first.push_back(second[0]);
    return first;
  }

  /// True if both products run in the same stage. A product over all vertices is not joined with a product that runs
  /// task by task: it would lose its large batch and save no memory, since its result is read once in either case.
  bool run_together(ValueId a, ValueId b) const { return node(a).op == node(b).op && stages_[a] == stages_[b]; }

  const Function& f_;
  const bool backward_;
  std::vector<Stage> stages_;
  std::vector<int> uses_;
  std::vector<std::vector<ValueId>> inputs_;  // [nodes] inputs of the node, as ids in the new function
};

}  // namespace

Function join_products(Function f, const PassContext&) { return JoinProducts(f, false).run(); }

Function join_gradient_products(Function f, const PassContext&) { return JoinProducts(f, true).run(); }

}  // namespace cavs::inline v0_1
