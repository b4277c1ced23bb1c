#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Finds the instructions whose columns workers can share, and combines instructions that depend on each other only row
/// by row into row groups. A worker runs all members of a group on one block of rows, then on the next, without
/// waiting. Vertices and their edges can be in one group, since the worker of a vertex also gets its edges.
void group_rows(TypeProgram& type, RowGrouping grouping);

/// Gives tensors that only one group uses a place in the group's tile, so they never leave the worker's cache (or the
/// registers of a GPU thread that computes a column of a row). Before: groups are final, Tensor::spans_tasks is set.
void place_tiles(TypeProgram& type, RowGrouping grouping);

}  // namespace cavs::inline v0_1
