#pragma once

// The entries of a program's tables. Host and device share this file.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

// Products in bf16 (matrix_products.cuh): rows, columns and depth that are multiplied together, and the number of parts
// of k.
constexpr i32 kRowsTogether = 16, kColumnsTogether = 8, kDepthTogether = 16, kParts = 8;
/// Number of matrices whose partial sums are added at a time.
constexpr i32 kMatricesTogether = 4;

// Products outside of tasks (persistent/device/block_products.cuh): columns of a tile, and depth of the numbers in
// shared memory. A tile has 4 rows per warp.
constexpr i32 kBlockColumns = 64, kMostBlockDepth = 32;

/// Columns of a parameter that share the units of a panel.
struct Gate {
  i64 weight;         // index in the parameters of the first column's first weight
  i32 k_stride;       // distance to the weight of the next k
  i32 column_stride;  // distance to the next column
  i32 out, column;    // operand, and its first column
  i32 add;            // 1 to add to the result of an earlier panel
  i32 target;         // number among the gates of all results of the product
  i32 parameter;
};

/// The columns that one input is multiplied with. Unit u of a panel is column u - first of each of its gates.
struct Panel {
  i32 in;  // operand
  i32 k;
  i32 first, units;
  i32 gate, gates;   // in the table of gates
  unsigned targets;  // a bit for each target; none if the product has too many gates
  i32 tile;          // tile that holds weights in registers; -1 if there is none
  i32 shared;        // tile that holds weights of later units in shared memory; -1 if there is none
};

/// Location of the columns of a panel that each processor holds.
struct TilePlace {
  i32 panel;
  i32 pieces;  // per warp: a column in fp32, 8 columns in bf16
  i32 first;   // first word of a lane in shared memory; -1 if in registers
};

/// The units of a weight that a processor holds in a tile.
struct UnitRange {
  i32 begin, end;
};

constexpr i32 kParameterAlignment = 32;  // alignment of parameters in floats: a line of the L2

struct Parameter {
  i64 offset;
  i32 size;
  i32 width;      // of a row of a table; 0 for other parameters
  i32 squares;    // index of its first block in KernelArguments::squares
  i32 is_factor;  // 1 if products read it
};

}  // namespace cavs::cuda
