#pragma once

#include "ir/op.h"

namespace cavs::inline v0_1 {

/// Shape rule for an input that leaves the vertex: one row per vertex. @throws UserError if it has one row per child.
inline void infer_vertex_rows(Inference& i) {
  if (i.in(0).domain.kind == DomainKind::kEdge)
    i.fail("takes one row per vertex, found one row per child: {}; reduce it first with sum, mean or max", i.show(0));
  i.set_shape(i.in(0).shape);
  i.node().domain = {DomainKind::kVertex, {}};
}

}  // namespace cavs::inline v0_1
