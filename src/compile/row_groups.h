#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Finds instructions that can be shared by columns, and combines those that depend on each other only row by row into
/// row groups. A worker runs all members on a block of rows, then on the next, without waiting. Vertices are in one
/// group with their edges, which are divided as the vertices are.
/// Before: the order of instructions keeps dependencies. After: the same values, bit for bit; fewer levels.
void group_rows(TypeProgram& type, RowGrouping grouping);

/// Places tensors that only one group uses in its tile: they never leave the worker's cache, or the registers of a
/// thread that computes a column of a row. Before: groups are final, Tensor::spans_tasks is set.
void place_tiles(TypeProgram& type, RowGrouping grouping);

}  // namespace cavs::inline v0_1
