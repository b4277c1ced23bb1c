#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/compile.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// What a pass may need to know besides the function.
struct PassContext {
  bool training = true;                           // derive ∂F
  bool pull_gradients = false;                    // the caller wants gradients of pulls
  bool push_gradients = false;                    // the caller gives gradients of pushes
  bool fuse = true;                               // element-wise nodes become loops
  std::vector<std::string>* decisions = nullptr;  // where a pass says what it weighed; nullptr: nobody asks
};

/// A pass rewrites one vertex function. Each is one file and one line in pass_list.inc.
struct Pass {
  std::string_view name;
  std::string_view doc;
  bool optional;  // may be switched off by name
  Function (*run)(Function f, const PassContext& context);
};

/// The passes in the order in which they run.
std::span<const Pass> pass_list();

#define CAVS_PASS(name, run, doc) Function run(Function f, const PassContext& context);
#define CAVS_OPTIONAL_PASS(name, run, doc) CAVS_PASS(name, run, doc)
#include "compile/pass_list.inc"
#undef CAVS_OPTIONAL_PASS
#undef CAVS_PASS

/// What else can be switched off by name: decisions taken after the passes, by the part of the library that `doc`
/// names.
struct Switch {
  std::string_view name;
  std::string_view doc;
};
std::span<const Switch> switch_list();

bool is_on(const CompileOptions& options, std::string_view name);

/// Checks that inputs precede uses, that operators get the number of inputs they take, and that every shape and domain
/// is what the operator infers. Before: anything. After: the same function. @throws InternalError.
Function verify(Function f, const PassContext& context);

/// Folds constants, merges common subexpressions, removes nodes that no sink needs. Masks of dropout are equal only if
/// their numbers are. Before: shapes are inferred. After: the same sinks with the same values, fewer nodes.
Function simplify(Function f, const PassContext& context);

/// Moves slices before element-wise nodes, so that the gates of one product are used where they lie and join one loop.
/// Before: F alone. After: the same values; no slice of an element-wise node.
Function narrow_slices(Function f, const PassContext& context);

/// Lets products of looked-up rows run once for each number that is looked up in a minibatch, whatever the number of
/// vertices that do; in ∂F their gradients are summed first.
/// Before: F alone. After: the same values; such lookups and products have domain distinct(port).
Function share_lookups(Function f, const PassContext& context);

/// Lets what is linear in an absent input run on the present rows only (DESIGN: "Absent input").
/// Before: F alone. After: the same values; lookups and their linear users have domain present(port).
Function compact_absent(Function f, const PassContext& context);

/// Lets what only the losses of one label need run on the labelled rows only. Where equal vertices are evaluated once,
/// every one of them has its own labelled row, and all cross-entropies of a label run on these rows.
/// Before: F alone. After: the same losses; such values have domain labelled(port).
Function compact_unlabelled(Function f, const PassContext& context);

/// Makes one value of products that are added one after the other, where they run at the same time over the same rows:
/// each is added where the one before it was written, and nothing is written in between.
/// Before: F alone. After: the same values, to the bit.
Function join_products(Function f, const PassContext& context);

/// The same of ∂F. Before: F and, in training, ∂F. After: F unchanged.
Function join_gradient_products(Function f, const PassContext& context);

/// Derives ∂F (Cavs, section 3.1, "Auto-differentiation"): gather and scatter are each other's gradient, so are pull
/// and push. Before: F alone. After: nodes of F unchanged, ∂F appended; a gradient has its value's shape and domain.
Function differentiate(Function f, const PassContext& context);

/// Lets a product with many columns and the cross-entropy of its result be computed tile by tile, gradients included,
/// so that the logits of all rows never stand in memory; nothing is computed twice.
/// Before: F and, in training, ∂F. After: the same values; the gradients of such a product are nodes of F.
Function tile_softmax(Function f, const PassContext& context);

/// Copies values that would be read through two row indices at once (a gathered value broadcast to edges, say).
/// Before: anything. After: the same values; every operand is memory read through at most one index.
Function materialise_views(Function f, const PassContext& context);

/// Lets ∂F compute cheap element-wise values of F once more where that moves fewer bytes than storing them.
/// Before: materialise_views is done. After: F unchanged, the same gradients to the bit; what is computed once more is
/// a node of ∂F, one for each loop that reads it.
Function recompute(Function f, const PassContext& context);

/// `f` without the nodes that no sink needs.
Function remove_dead(const Function& f);

/// Lets the lookups that `chosen` (given their ids) run on the rows of domain `kind` of their port; domains flow from
/// the index, by the operators' zero rules.
Function move_lookups(const Function& f, DomainKind kind, const std::function<bool(ValueId lookup)>& chosen);

/// Copies `f` node by node: `replace` may return another node's id (of the new function) or append by itself; -1 asks
/// for a plain copy with the inputs given.
Function rewrite(
    const Function& f,
    const std::function<ValueId(Function& out, const Node& node, const std::vector<ValueId>& in)>& replace);

}  // namespace cavs::inline v0_1
