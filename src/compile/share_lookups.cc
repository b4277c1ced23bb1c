#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {
namespace {

/// True if a looked-up row is only multiplied with weights. Any other use would need a copy per vertex.
bool is_only_multiplied(const Function& f, ValueId lookup) {
  bool multiplied = false;
  for (const Node& node : f.nodes)
    for (std::size_t i = 0; i < node.in.size(); ++i) {
      if (node.in[i] != lookup) continue;
      if (node.op->kind != OpKind::kMatmul || i % 2 != 0) return false;
      multiplied = true;
    }
  return multiplied;
}

}  // namespace

Function share_lookups(Function f, const PassContext&) {
  return move_lookups(f, DomainKind::kDistinct, [&f](ValueId lookup) { return is_only_multiplied(f, lookup); });
}

}  // namespace cavs::inline v0_1
