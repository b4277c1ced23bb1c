#pragma once

#include "compile/program.h"

namespace cavs::inline v0_1 {

/// Notes which instructions that work row by row can be shared by columns, and makes one instruction of those that
/// depend on each other row by row alone: a worker then runs them all on a block of rows after the other, without
/// waiting. Vertices stand in one group with their edges, which follow the cuts of the vertices.
/// Before: instructions are in an order that keeps dependencies. After: the same values to the bit; fewer levels.
void group_rows(TypeProgram& type, RowGrouping grouping);

/// Gives the tensors that one group alone touches a place in its tile: they never leave the worker's cache, or the
/// registers of a thread that has a column of a row.
/// Before: groups are final, tensors know whether they span tasks.
void place_tiles(TypeProgram& type, RowGrouping grouping);

}  // namespace cavs::inline v0_1
