#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "backend/cuda/entries/kernel_options.h"
#include "backend/cuda/entries/packed_script.h"
#include "backend/cuda/entries/tables.h"
#include "placement/placement.h"
#include "support/split_range.h"

namespace cavs::cuda {

/// The operation of an instruction, for its entries.
struct Code {
  Operation operation = kNothing;
  std::int32_t number = 0;  // number of the element-wise loop, or of the product's first panel (also in a group)
  std::int32_t end = 0;     // end of the product's panels; not used by other operations
  std::int32_t group = -1;  // number of the group in the program; -1 if there is none
};

/// Columns of a weight that each processor keeps in one memory: the columns of all gates of its units, in order. In
/// fp32, the columns are distributed over its warps in turn. In bf16, each warp has a part of the k of all columns.
struct TileShape {
  std::int32_t weight = 0, part = 0;         // index in Program::weights; number among the weight's panels
  std::int32_t panel = 0;                    // first panel whose weights it contains, see Panel::tile
  std::int32_t first = -1;                   // see TilePlace
  std::int32_t pieces = 0;                   // per warp
  std::int32_t piece_columns = 1;            // columns per piece: 1 in fp32, 8 in bf16
  std::int32_t piece_words = 0;              // per lane
  std::int32_t values = 0;                   // in fp32, numbers per lane and column; in bf16, steps of 16 k per part
  std::vector<Range<std::int32_t>> units{};  // [processors] units of the weight that the processor keeps

  bool is_shared() const { return first >= 0; }                    // true in shared memory, false in registers
  std::int32_t columns() const { return pieces * piece_columns; }  // per warp
  std::int32_t words() const { return pieces * piece_words; }      // per lane
};

/// The numbers that the kernel's text and packed scripts both use. They follow from the program, the placement and the
/// options.
struct KernelTables {
  std::vector<Parameter> parameters;
  std::vector<Panel> panels;
  std::vector<Gate> gates;
  std::vector<TileShape> tiles;
  std::vector<std::array<std::array<std::vector<Code>, 3>, 2>> codes;  // [types][backward][stage][instructions]
  std::vector<char> operations;                  // [kOperations] true if an entry has the operation
  std::int32_t most_operands = 1;                // largest number of operands of an entry
  std::int32_t groups = 0;                       // number of groups in the program
  std::int32_t registers = 0, shared_words = 0;  // per lane, for weights

  /// Returns the bytes of a block's dynamic shared memory, in which the shared_words are.
  std::int32_t shared_bytes(const KernelOptions& options) const { return 4 * kernel_threads(options) * shared_words; }
  const Code& at(std::int32_t type, bool backward, Stage stage, std::int32_t instruction) const {
    return codes[type][backward][static_cast<std::size_t>(stage)][instruction];
  }
};

/// Returns options for the next attempt, if the kernel of these tables uses a stack or spills registers. They have
/// fewer registers for weights, and in the end no weights in shared memory. nullopt if the kernel keeps no weights.
std::optional<KernelOptions> options_with_fewer_weights(const KernelTables& tables, KernelOptions options);

/// Numbers a program. It must be compiled for batched_target() with engine batched, else for kernel_target().
/// @throws UserError that says what the program or the placement needs, if the kernel lacks it.
KernelTables kernel_tables(const Program& program, const WeightPlacement& placement, const KernelOptions& options);

}  // namespace cavs::cuda
