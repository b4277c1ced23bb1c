#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cavs/compile.h"
#include "ir/function.h"

namespace cavs::inline v0_1 {

/// Inputs of a pass besides the function.
struct PassContext {
  bool training = true;                           // true to derive ∂F
  bool pull_gradients = false;                    // true if the caller needs gradients of pulls
  bool push_gradients = false;                    // true if the caller gives gradients of pushes
  bool fuse = true;                               // true if element-wise nodes become loops
  std::vector<std::string>* decisions = nullptr;  // gets a line per decision, unless it is nullptr
};

/// A pass rewrites one vertex function. Each is one file and one line in pass_list.inc.
struct Pass {
  std::string_view name;
  std::string_view doc;
  bool optional;  // true if the pass may be switched off by name
  Function (*run)(Function f, const PassContext& context);
};

/// The passes in the order in which they run.
std::span<const Pass> pass_list();

#define CAVS_PASS(name, run, doc) Function run(Function f, const PassContext& context);
#define CAVS_OPTIONAL_PASS(name, run, doc) CAVS_PASS(name, run, doc)
#include "compile/pass_list.inc"
#undef CAVS_OPTIONAL_PASS
#undef CAVS_PASS

/// A decision outside of the passes that can be switched off by name. `doc` begins with the part of the compiler or
/// engine that decides.
struct Switch {
  std::string_view name;
  std::string_view doc;
};
std::span<const Switch> switch_list();

bool is_on(const CompileOptions& options, std::string_view name);

/// Checks that inputs precede uses, that every operator has the number of inputs that it needs, and that shapes and
/// domains are the inferred ones. Before: anything. After: the same function.
/// @throws InternalError.
Function verify(Function f, const PassContext& context);

/// Folds constants, merges common subexpressions, removes nodes that no sink needs. Dropout masks are merged only if
/// their numbers are equal. Before: shapes are inferred. After: the same sinks with the same values, fewer nodes.
Function simplify(Function f, const PassContext& context);

/// Moves slices before element-wise nodes, so that the gates of one product are read in place and join one loop.
/// Before: only F exists. After: the same values; no slice of an element-wise node.
Function narrow_slices(Function f, const PassContext& context);

/// Multiplies a looked-up row with weights once for all vertices of a minibatch that look it up. ∂F first sums the
/// gradients of these vertices.
/// Before: only F exists. After: the same values; such lookups and products have domain distinct(port).
Function share_lookups(Function f, const PassContext& context);

/// Runs nodes that are linear in an optional input only on the rows that have it.
/// Before: only F exists. After: the same values; lookups and their linear users have domain present(port).
Function compact_absent(Function f, const PassContext& context);

/// Runs nodes that only the losses of one label need on the labelled rows only. If equal vertices are merged, each of
/// them still has its own labelled row, and all cross-entropies of a label run on these rows.
/// Before: only F exists. After: the same losses; such values have domain labelled(port).
Function compact_unlabelled(Function f, const PassContext& context);

/// Joins products that are added one after the other, if they run in one stage over the same rows. Each product is
/// added in place to the result of the preceding product.
/// Before: only F exists. After: bit-identical values.
Function join_products(Function f, const PassContext& context);

/// Does in ∂F what join_products does in F. Before: F and, in training, ∂F exist. After: F is unchanged.
Function join_gradient_products(Function f, const PassContext& context);

/// Derives ∂F (Cavs, section 3.1, "Auto-differentiation"): gather and scatter are each other's gradient, and so are
/// pull and push. Before: only F exists. After: nodes of F unchanged, ∂F appended; a gradient has the shape and the
/// domain of its value.
Function differentiate(Function f, const PassContext& context);

/// Computes a product with many columns, the cross-entropy of its result and all their gradients tile by tile, so that
/// memory never holds the logits of all rows. Nothing is computed twice.
/// Before: F and, in training, ∂F exist. After: the same values; the gradients of such a product are nodes of F.
Function tile_softmax(Function f, const PassContext& context);

/// Copies values that would be read through two lists of rows at once (a gathered value broadcast to edges, say).
/// Before: anything. After: the same values; every operand is memory that is read through at most one list.
Function materialise_views(Function f, const PassContext& context);

/// Computes cheap element-wise values of F again in ∂F if that moves fewer bytes than storing them.
/// Before: materialise_views is done. After: F unchanged, bit-identical gradients; a recomputed value is a node of ∂F,
/// one for each loop that reads it.
Function recompute(Function f, const PassContext& context);

/// Returns `f` without the nodes that no sink needs.
Function remove_dead(const Function& f);

/// Makes each lookup for which `chosen` returns true run on the rows of domain `kind` of its port. The domains of nodes
/// that read the lookups follow from the operators' zero rules.
Function move_lookups(const Function& f, DomainKind kind, const std::function<bool(ValueId lookup)>& chosen);

/// Returns a copy of `f`, made node by node. `replace` gets a node's inputs in the new function. It returns the id of
/// the node to use there, which it may append, or -1 for a plain copy of the node.
Function rewrite(
    const Function& f,
    const std::function<ValueId(Function& out, const Node& node, const std::vector<ValueId>& in)>& replace);

}  // namespace cavs::inline v0_1
