#include <fmt/format.h>

#include "compile/passes.h"
#include "ir/op.h"

namespace cavs::inline v0_1 {

Function cancel_negations(Function f, const PassContext& context) {
  int cancelled = 0;
  Function out = remove_dead(rewrite(f, [&](Function& made, const Node& node, const std::vector<ValueId>& in) {
    if (!node.is(OpId::kNegate) || !made.nodes[in[0]].is(OpId::kNegate)) return ValueId{-1};
    ++cancelled;
    return made.nodes[in[0]].in[0];
  }));
  if (context.decisions != nullptr) context.decisions->push_back(fmt::format("{} cancelled", cancelled));
  return out;
}

}  // namespace cavs::inline v0_1
