#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "execute/batched/row_runner.h"

namespace cavs::inline v0_1 {

/// Shares row-by-row instructions among the workers, and runs row groups block by block. Values that members pass to
/// each other are in the worker's tile, which stays in the cache.
class RowGroupRunner {
 public:
  RowGroupRunner(const Program& program, const RowRunner& rows);

  /// Runs the worker's share of a row group, or of an instruction that could be a member of one.
  void run(Worker& worker, const WorkPart& work, const Instruction& instruction, RowRange rows) const;
  /// Returns the bytes of the tiles of all workers.
  std::int64_t tile_bytes(const Plan& plan, int workers) const;

 private:
  struct TileUse {
    std::int32_t type, rows;  // number of the type; largest number of rows per block
    std::array<std::int32_t, 2> widths;
    DomainId domain;
  };
  void run_group(Worker& worker, const Instruction& instruction, const RowGroup& group, const RowShare& share) const;
  void run_block(Worker& worker, const RowGroup& group, const RowShare& block, RowRange edges,
                 std::int32_t tile_rows) const;

  const RowRunner& rows_;
  std::vector<TileUse> tile_uses_;
};

}  // namespace cavs::inline v0_1
