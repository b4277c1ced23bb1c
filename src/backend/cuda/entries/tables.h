#pragma once

// The entries of a program's tables. Host and device share them.

#include "backend/cuda/device/operation.h"

namespace cavs::cuda {

// Products in bf16 (matrix_products.cuh): rows, columns and numbers k that are multiplied together, and the parts that
// k is split into.
constexpr i32 kRowsTogether = 16, kColumnsTogether = 8, kDepthTogether = 16, kParts = 8;
/// The number of matrices whose parts of sums are added up at a time.
constexpr i32 kMatricesTogether = 4;

// Products outside of tasks (persistent/device/block_products.cuh): columns of a tile, and numbers of the depth that
// are in shared memory at a time; a tile has 4 rows per warp.
constexpr i32 kBlockColumns = 64, kMostBlockDepth = 32;

/// Columns of a parameter that share the units of a panel.
struct Gate {
  i64 weight;         // number of the first column's first weight in the parameters
  i32 k_stride;       // to the weight of the next k
  i32 column_stride;  // to the next column's
  i32 out, column;    // operand, and its first column
  i32 add;            // to what an earlier panel wrote there
  i32 target;         // which of the product's gates it is, over all of its results
  i32 parameter;
};

/// The columns that one input is multiplied with: unit u of a panel is column u - first of each of its gates.
struct Panel {
  i32 in;  // operand
  i32 k;
  i32 first, units;
  i32 gate, gates;   // in the table of gates
  unsigned targets;  // of those, a bit each; none where the product has more gates than that
  i32 tile;          // that holds weights of it in registers; -1: none
  i32 shared;        // in shared memory, of the units after these; -1: none
};

/// Columns of a panel that each processor holds, and where.
struct TilePlace {
  i32 panel;
  i32 pieces;  // of a warp: a column in fp32, 8 in bf16
  i32 first;   // of the words of a lane in shared memory; -1: registers hold them
};

/// Units of a weight that a processor holds in a tile.
struct UnitRange {
  i32 begin, end;
};

constexpr i32 kParameterAlignment = 32;  // floats that parameters begin at multiples of: a line of the L2

struct Parameter {
  i64 offset;
  i32 size;
  i32 width;      // of a row of a table; 0: it is none
  i32 squares;    // number of its first block in KernelArguments::squares
  i32 is_factor;  // products read it
};

}  // namespace cavs::cuda
