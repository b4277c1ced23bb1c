#pragma once

#include "ir/op.h"

namespace cavs::inline v0_1 {

/// Shape rule for an operator whose input leaves the vertex, and so needs one row per vertex. @throws UserError for one
/// row per child.
inline void infer_vertex_rows(Inference& i) {
  if (i.in(0).domain.kind == DomainKind::kEdge)
    i.fail("takes one row per vertex, found one row per child: {}; reduce it first with sum, mean or max", i.show(0));
  i.set_shape(i.in(0).shape);
  i.node().domain = {DomainKind::kVertex, {}};
}

}  // namespace cavs::inline v0_1
