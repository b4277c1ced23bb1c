#pragma once

#include "ir/op.h"

namespace cavs::inline v0_1 {

/// What leaves a vertex is its first input: one row a vertex. @throws UserError where that has one row a child.
inline void infer_vertex_rows(Inference& i) {
  if (i.in(0).domain.kind == DomainKind::kEdge)
    i.fail("takes one row a vertex, found one row a child: {}; reduce it first with sum, mean or max", i.show(0));
  i.set_shape(i.in(0).shape);
  i.node().domain = {DomainKind::kVertex, {}};
}

}  // namespace cavs::inline v0_1
