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

/// The operation of an instruction's entries.
struct Code {
  Operation operation = kNothing;
  std::int32_t number = 0;  // number of an element-wise loop; of a product or a group that it leads: first panel
  std::int32_t end = 0;     // of a product or a group that it leads: one past its last panel; else equal to `number`
  std::int32_t group = -1;  // number of the group in the program
};

/// Columns of a weight that processors hold in one memory: the columns of all gates of a processor's units, in order.
/// In fp32 they are distributed over its warps in turn. In bf16 each warp has a part of k of all of them.
struct TileShape {
  std::int32_t weight = 0, part = 0;         // index in Program::weights; number among its panels
  std::int32_t panel = 0;                    // the first panel whose weights it holds, see Panel::tile
  std::int32_t first = -1;                   // see TilePlace
  std::int32_t pieces = 0;                   // per warp
  std::int32_t piece_columns = 1;            // per warp: 1 in fp32, 8 in bf16
  std::int32_t piece_words = 0;              // per lane
  std::int32_t values = 0;                   // in fp32 per lane and column; in bf16 steps of 16 k per part
  std::vector<Range<std::int32_t>> units{};  // [processors] units of the weight

  bool is_shared() const { return first >= 0; }                    // in shared memory; else in registers
  std::int32_t columns() const { return pieces * piece_columns; }  // per warp
  std::int32_t words() const { return pieces * piece_words; }      // per lane
};

/// The numbering on which the kernel's text and the packed scripts agree. It follows from the program and the placement
/// alone.
struct KernelTables {
  std::vector<Parameter> parameters;
  std::vector<Panel> panels;
  std::vector<Gate> gates;
  std::vector<TileShape> tiles;
  std::vector<std::array<std::array<std::vector<Code>, 3>, 2>> codes;  // [types][backward][stage][instructions]
  std::vector<char> operations;                  // [kOperations] true if entries have the operation
  std::int32_t most_operands = 1;                // of any entry
  std::int32_t groups = 0;                       // in the program
  std::int32_t registers = 0, shared_words = 0;  // per lane, that hold weights

  /// Bytes of a block's dynamic shared memory, which has shared_words.
  std::int32_t shared_bytes(const KernelOptions& options) const { return 4 * kernel_threads(options) * shared_words; }
  const Code& at(std::int32_t type, bool backward, Stage stage, std::int32_t instruction) const {
    return codes[type][backward][static_cast<std::size_t>(stage)][instruction];
  }
};

/// Options for the next attempt if the kernel of these tables uses a stack or spills: with fewer registers for weights,
/// and finally without weights in shared memory. None if it keeps no weights.
std::optional<KernelOptions> options_with_fewer_weights(const KernelTables& tables, KernelOptions options);

/// For engine batched, `program` is compiled for batched_target(), else for kernel_target().
/// @throws UserError naming what the program or the placement needs and the kernel lacks.
KernelTables kernel_tables(const Program& program, const WeightPlacement& placement, const KernelOptions& options);

}  // namespace cavs::cuda
