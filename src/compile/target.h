#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "cavs/compile.h"

namespace cavs::inline v0_1 {

/// The instructions of a level that become one, a row group.
enum class RowGrouping : std::uint8_t {
  kNone,
  /// Element-wise loops and sums over a row's edges or parents, of one width: a thread computes a column of a row. A
  /// product leads such a group where the thread has all gates of that column.
  kColumns,
  kRows,  // all that works row by row
};

/// What the compiler is told of a machine: plain numbers, never a kernel. The defaults are those of the CPU's batched
/// engine; backend/cpu/target.h states them beside the kernels, where the build checks that they agree.
struct Target {
  /// Columns of a packed weight's slice. Products are merged where their gates fill whole slices; a product that leads
  /// a row group is shared between workers by slices.
  std::int32_t slice_columns = 16;
  /// Rows that a sum over rows takes from zero before it joins a longer sum.
  std::int32_t sum_rows = 256;
  /// A tile of logits has rows of so many such sums, so that the gradients of its weight are those.
  std::int32_t tile_sums = 1;
  /// Floats that the offset of every tensor in the arena is a multiple of: a cache line.
  std::int32_t alignment = 16;
  /// Whether it runs the element-wise nodes of a level as one loop.
  bool fuses_loops = true;
  RowGrouping grouping = RowGrouping::kRows;
  /// Gates at most of a product that leads a group.
  std::int32_t most_gates = std::numeric_limits<std::int32_t>::max();
  bool operator==(const Target&) const = default;
};

/// The same as compile(model, options), for another machine than the CPU's batched engine.
std::shared_ptr<const Program> compile(const Model& model, const CompileOptions& options, const Target& target);

/// The same model and options for another machine. Graphs that are bound to the one program fit the other.
std::shared_ptr<const Program> compile(const Program& program, const Target& target);

}  // namespace cavs::inline v0_1
