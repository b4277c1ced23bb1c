#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Finds instructions that can be shared by columns, and combines those that depend on each other only row by row into
/// row groups. A worker runs all members of a group on one block of rows, then on the next, without waiting. Vertices
/// and their edges are in one group, since edges are divided among workers as their vertices are.
/// Before: the order of instructions respects dependencies. After: bit-identical values; fewer levels.
void group_rows(TypeProgram& type, RowGrouping grouping);

/// Gives tensors that only one group uses a place in the group's tile, so they never leave the worker's cache (or the
/// registers of a GPU thread that computes a column of a row). Before: groups are final, Tensor::spans_tasks is set.
void place_tiles(TypeProgram& type, RowGrouping grouping);

}  // namespace cavs::inline v0_1
