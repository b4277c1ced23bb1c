#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "cavs/compile.h"

namespace cavs::inline v0_1 {

/// The kinds of instructions that are combined into row groups.
enum class RowGrouping : std::uint8_t {
  kNone,
  /// Element-wise loops, and sums over a row's edges or parents, all of one width. A thread computes one column of a
  /// row. A product may lead the group if the thread computes all gates of that column.
  kColumns,
  kRows,  // all row-by-row instructions
};

/// Facts about a machine that the compiler needs: numbers only, no kernels. The defaults are those of the CPU's batched
/// engine; backend/cpu/target.h has the same numbers for the kernels, and the build checks that they agree.
struct Target {
  /// Number of columns in a slice of packed weights. Products are merged if their gates fill whole slices; a product
  /// that leads a row group is divided among workers by slices.
  std::int32_t slice_columns = 16;
  /// Number of rows per block of a sum over rows: a block is summed from zero, then added to the sum.
  std::int32_t sum_rows = 256;
  /// Number of blocks of `sum_rows` rows per tile of logits. With whole blocks, tiles do not change weight gradients.
  std::int32_t tile_sums = 1;
  /// Alignment of every tensor's offset in the arena, in floats: a cache line.
  std::int32_t alignment = 16;
  /// True if the element-wise nodes of a level run as one loop.
  bool fuses_loops = true;
  RowGrouping grouping = RowGrouping::kRows;
  /// Largest number of gates of a product that leads a row group.
  std::int32_t most_gates = std::numeric_limits<std::int32_t>::max();
  bool operator==(const Target&) const = default;
};

/// Compiles a model for machine `target`, which need not be the CPU's batched engine.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options, const Target& target);

/// Compiles the model and options of `program` for machine `target`. Graphs bound to one program fit the other.
std::shared_ptr<const Program> compile(const Program& program, const Target& target);

}  // namespace cavs::inline v0_1
