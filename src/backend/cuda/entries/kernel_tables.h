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

/// What an entry of an instruction says it is.
struct Code {
  Operation operation = kNothing;
  std::int32_t number = 0;  // element-wise: of the loop; product, or group that one leads: first panel
  std::int32_t end = 0;     // product, or group that one leads: one past its last panel; else equal to `number`
  std::int32_t group = -1;  // number of the group in the program
};

/// Columns of a weight that processors hold in one memory: those of all gates of a processor's units one after the
/// other. In fp32 they are dealt to its warps in turn; in bf16 each warp has a part of k of all of them.
struct TileShape {
  std::int32_t weight = 0, part = 0;         // into Program::weights; which of its panels
  std::int32_t panel = 0;                    // the first that it holds weights of, see Panel::tile
  std::int32_t first = -1;                   // see TilePlace
  std::int32_t pieces = 0;                   // of a warp
  std::int32_t piece_columns = 1;            // of a warp: one in fp32, 8 in bf16
  std::int32_t piece_words = 0;              // of a lane
  std::int32_t values = 0;                   // of a lane and column in fp32; steps of 16 k a part in bf16
  std::vector<Range<std::int32_t>> units{};  // [processors] of the weight

  bool is_shared() const { return first >= 0; }                    // in shared memory; else in registers
  std::int32_t columns() const { return pieces * piece_columns; }  // of a warp
  std::int32_t words() const { return pieces * piece_words; }      // of a lane
};

/// What the kernel's text and the packed scripts must agree on: numbers for everything, from the program and the
/// placement alone.
struct KernelTables {
  std::vector<Parameter> parameters;
  std::vector<Panel> panels;
  std::vector<Gate> gates;
  std::vector<TileShape> tiles;
  std::vector<std::array<std::array<std::vector<Code>, 3>, 2>> codes;  // [types][backward][stage][instructions]
  std::vector<char> operations;                                        // [kOperations] there are entries of it
  std::int32_t most_operands = 1;                                      // of an entry
  std::int32_t groups = 0;                                             // in the program
  std::int32_t registers = 0, shared_words = 0;                        // of a lane, that hold weights

  /// Of a block's dynamic shared memory, which shared_words are.
  std::int32_t shared_bytes(const KernelOptions& options) const { return 4 * kernel_threads(options) * shared_words; }
  const Code& at(std::int32_t type, bool backward, Stage stage, std::int32_t instruction) const {
    return codes[type][backward][static_cast<std::size_t>(stage)][instruction];
  }
};

/// Options of the next kernel to try where that of these tables has stack or spills: with fewer registers for weights,
/// at last without weights in shared memory. None: it has no weights.
std::optional<KernelOptions> options_with_fewer_weights(const KernelTables& tables, KernelOptions options);

/// Those of engine batched for programs of batched_target(); else for kernel_target().
/// @throws UserError naming what the program or the placement has that the kernel lacks.
KernelTables kernel_tables(const Program& program, const WeightPlacement& placement, const KernelOptions& options);

}  // namespace cavs::cuda
