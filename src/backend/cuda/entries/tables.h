#pragma once

// The rows of a program's tables. Host and device share this file.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

// Products in bf16 (matrix_products.cuh): numbers of rows, of columns and of k that are multiplied together, and number
// of parts of k.
constexpr i32 kRowsTogether = 16, kColumnsTogether = 8, kDepthTogether = 16, kParts = 8;
/// Number of matrices whose parts are added together.
constexpr i32 kMatricesTogether = 4;

// Products outside of tasks (persistent/device/block_products.cuh): number of columns of a tile, and largest depth of
// the numbers in shared memory. A tile has 4 rows per warp.
constexpr i32 kBlockColumns = 64, kMostBlockDepth = 32;

/// Number of rows that a sum over rows loads before it adds the first.
constexpr i32 kRowsAtOnce = 16;

/// Columns of a parameter. All gates of a panel have the panel's units.
struct Gate {
  i64 weight;         // index in the parameters of the first column's first number
  i32 k_stride;       // floats from number k to number k + 1 of a column
  i32 column_stride;  // floats from a column to the next
  i32 out, column;    // number of the result's operand, and the gate's first column in it
  i32 add;            // 1 to add to the result, which an earlier panel has written
  i32 target;         // number of the gate among the gates of all results of the product
  i32 parameter;      // number of the parameter that has the columns
};

/// The columns by which one input is multiplied. Unit u of a panel is column u - first of each of its gates.
struct Panel {
  i32 in;            // number of the input's operand
  i32 k;             // numbers per column
  i32 first, units;  // first unit, and number of units
  i32 gate, gates;   // range in the table of gates
  unsigned targets;  // one bit per Gate::target below kMostGates
  i32 tile;          // tile that has units in registers; -1 if there is none
  i32 shared;        // tile that has later units in shared memory; -1 if there is none
};

/// The place where each processor keeps columns of a panel.
struct TilePlace {
  i32 panel;
  i32 pieces;  // pieces per warp; a piece is a column in fp32, 8 columns in bf16
  i32 first;   // number of its first word of a lane, see shared_word(); -1 if the tile is in registers
};

/// The units of a weight that a tile has on a processor.
struct UnitRange {
  i32 begin, end;
};

constexpr i32 kParameterAlignment = 32;  // alignment of parameters in floats: a cache line of the L2

struct Parameter {
  i64 offset;     // index of its first number in KernelArguments::parameters
  i32 size;       // number of floats
  i32 width;      // columns of a table; 0 for other parameters
  i32 squares;    // index in KernelArguments::squares of its first block
  i32 is_factor;  // 1 if products read it
};

}  // namespace cavs::cuda
