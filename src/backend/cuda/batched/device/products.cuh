#pragma once

// Products of matrices in tiles, and groups that begin with a product. The rest of such a group is computed from the
// numbers of a tile, in the registers that contain them.

#include "backend/cuda/batched/device/product_tile.cuh"
#include "backend/cuda/entries/device/rows.cuh"

namespace cavs::cuda {

CAVS_DEVICE i32 tiles_in(i32 count, i32 of_tile) { return (count + of_tile - 1) / of_tile; }

/// Calls f(row, unit) for the tiles of a block: every `parts`-th tile, beginning with number `part`.
template <typename Tile, typename F>
CAVS_DEVICE void each_tile(i32 rows, i32 units, i32 part, i32 parts, F f) {
  const i32 across = tiles_in(units, Tile::kUnits), tiles = tiles_in(rows, Tile::kRows) * across;
#pragma unroll 1
  for (i32 tile = part; tile < tiles; tile += parts) {
    const i32 down = quotient(tile, across);
    f(down * Tile::kRows, (tile - down * across) * Tile::kUnits);
  }
}

/// Finds the line of each row of a tile, for bring_side(). All threads must call it before a barrier.
template <typename Tile>
CAVS_DEVICE void find_rows(const BlockFactor& left, i32 row) {
  i32* const rows = shared<BlockMemory>().of_processor.tile.rows;
#pragma unroll 1
  for (i32 r = thread(); r < Tile::kRows; r += kThreads) {
    const i32 line = left.begin + row + r;
    store(rows + r, row + r < left.outers ? load_listed(left.list, line, line) : -1);
  }
}

/// Multiplies the block's tiles of the current product (see describe()). All threads must call it.
template <i32 kSize, bool kLeftAlong, bool kRightAlong>
CAVS_DEVICE void multiply_tiles() {
  using Tile = ProductTile<kSize, 1, kLeftAlong, kRightAlong>;
  const BlockProduct& product = shared<BlockMemory>().product;
  const i32* const lines = kLeftAlong ? shared<BlockMemory>().of_processor.tile.rows : nullptr;
  const i32 rows = load(&product.left.outers), units = load(&product.right.outers), depth = load(&product.depth);
  each_tile<Tile>(rows, units, load(&product.part), load(&product.parts), [&](i32 row, i32 unit) {
    if constexpr (kLeftAlong) {
      find_rows<Tile>(load(&product.left), row);
      sync();
    }
    Tile tile;
    tile.clear();
    const BlockResult to = load(&product.out);
    const bool adds = load(&product.adds) != 0;
    const auto each_element = [&](auto f) {
#pragma unroll
      for (i32 e = 0; e < Tile::kElements; ++e) {
        const i32 r = row + Tile::row_of(e), c = unit + Tile::unit_of_element(e);
        if (r >= rows || c >= units) continue;
        const i32 line = load_listed(to.list, to.begin + r, to.begin + r);
        f(static_cast<i64>(line) * to.stride + c, c, tile.totals[0][e]);
      }
    };
    if (adds) each_element([&](i64 at, i32, float& total) { total = load(to.first + at); });
    tile.template add<1>(&product.left, &product.right, lines, depth, row, unit);
    const Operand out{to.first, to.halves, nullptr, nullptr, 0, 0};
    each_element(
        [&](i64 at, i32 c, float& total) { out.put_at(at, to.bias == nullptr ? total : total + load(to.bias + c)); });
  });
}

/// Stores the factors of a panel of a group's product: one factor per gate of the panel, in the order of targets. All
/// threads must call it. The factors are ready after a barrier.
CAVS_DEVICE void describe_panel(const KernelArguments& a, const Panel& panel, const Work& work) {
  if (thread() == 0)
    store(&shared<BlockMemory>().product.left,
          rows_of(operand(panel.in), work.row_end - work.row_begin, work.row_begin));
  if (thread() < panel.gates) {
    const Gate& gate = kGates[panel.gate + thread()];
    i32 number = 0;
#pragma unroll 1
    for (i32 g = panel.gate; g < panel.gate + panel.gates; ++g) number += kGates[g].target < gate.target ? 1 : 0;
    const bool along = gate.k_stride == 1;
    store(&shared<BlockMemory>().of_processor.tile.gates[number],
          weight_of(a, gate.parameter, gate.weight, panel.units, along, along ? gate.column_stride : gate.k_stride));
  }
}

/// Runs a group that begins with a product: calls Group::run(operands, row, unit, numbers of the gates) for each row
/// and unit. Group::each_mask(mask, f) calls f(Mask<mask>) for the masks of its panels.
template <typename Group, i32 kSize>
CAVS_DEVICE void run_group(const KernelArguments& a, const Entry& entry) {
  using Tile = ProductTile<kSize, Group::kGates, true, Group::kAlong>;
  const Work work = work_of(a, entry);
  const i32 first = entry[kNumberWord], end = entry.attribute(kGroupPanels);
  const i32 rows = work.row_end - work.row_begin, units = kPanels[first].units;
  each_tile<Tile>(rows, units, work.part, work.parts, [&](i32 row, i32 unit) {
    Tile tile;
    tile.clear();
#pragma unroll 1
    for (i32 p = first; p < end; ++p) {
      const Panel& panel = kPanels[p];
      describe_panel(a, panel, work);
      sync();
      find_rows<Tile>(load(&shared<BlockMemory>().product.left), row);
      sync();
      Group::each_mask(panel.targets, [&](auto mask) {
        tile.template add<decltype(mask)::kBits>(&shared<BlockMemory>().product.left,
                                                 shared<BlockMemory>().of_processor.tile.gates,
                                                 shared<BlockMemory>().of_processor.tile.rows, panel.k, row, unit);
      });
    }
    const EntryOperands o{entry, work, kGroup};
    // All elements use one copy of the code: the numbers of the next element are moved to the position of the first.
#pragma unroll 1
    for (i32 e = 0; e < Tile::kElements; ++e) {
      const i32 r = row + Tile::row_of(e), c = unit + Tile::unit_of_element(e);
      float numbers[Group::kGates];
#pragma unroll
      for (i32 g = 0; g < Group::kGates; ++g) {
        numbers[g] = tile.totals[g][0];
#pragma unroll
        for (i32 i = 0; i + 1 < Tile::kElements; ++i) tile.totals[g][i] = tile.totals[g][i + 1];
      }
      if (r < rows && c < units) Group::run(o, work.row_begin + r, c, numbers);
    }
  });
}

/// The gates of a panel, one bit per gate.
template <unsigned kGatesOf>
struct Mask {
  static constexpr unsigned kBits = kGatesOf;
};

}  // namespace cavs::cuda
