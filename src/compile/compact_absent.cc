#include <algorithm>

#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

namespace {

/// True if a reader of the lookup can also run on the present rows only. A scatter or push cannot: it writes all rows.
bool has_linear_user(const Function& f, ValueId lookup) {
  return std::any_of(f.nodes.begin(), f.nodes.end(), [&](const Node& node) {
    return node.op->zero != ZeroRule::kNever && std::find(node.in.begin(), node.in.end(), lookup) != node.in.end();
  });
}

}  // namespace

Function compact_absent(Function f, const PassContext&) {
  return move_lookups(f, DomainKind::kPresent, [&f](ValueId lookup) {
    return !is_partial(f.nodes[lookup].domain) && has_linear_user(f, lookup);
  });
}

}  // namespace cavs::inline v0_1
