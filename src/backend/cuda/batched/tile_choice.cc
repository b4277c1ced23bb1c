#include "backend/cuda/batched/tile_choice.h"

namespace cavs::cuda {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

/// Processors take tiles in turn; two on one processor share it.
double TileCosts::of(int size, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth) const {
  constexpr double kColumns[] = {64, 64, 128};
  const std::int64_t tiles = divide_up(rows, tile_rows(size, false)) * divide_up(units, tile_units(size, gates));
  const double width = gates * tile_units(size, gates) / kColumns[size];
  return static_cast<double>(divide_up(tiles, processors)) *
         (start[size] + clocks[size] * width * static_cast<double>(depth));
}

TileSize best_tile(const TileCosts& costs, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
                   TileSize last) {
  int best = kSmallTile;
  for (int size = kMediumTile; size <= last; ++size)
    if (costs.of(size, rows, units, gates, depth) < costs.of(best, rows, units, gates, depth)) best = size;
  return static_cast<TileSize>(best);
}

}  // namespace cavs::cuda
