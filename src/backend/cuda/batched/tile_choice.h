#pragma once

#include <array>
#include <cstdint>

#include "backend/cuda/entries/tile_shape.h"

namespace cavs::cuda {

/// The costs of products on a GPU, by the size of their tiles.
struct TileCosts {
  int processors = 132;
  /// Clocks of a tile of 64 columns per number of the depth, or of 128 columns for the large one. Predicted for an
  /// H100: multiply-adds at 73 % of the peak, except for small tiles, which wait for 24 bytes per clock of the L2.
  std::array<double, kTileSizes> clocks = {13.3, 44, 175};
  /// Clocks before a tile's first multiply-add and after its last.
  std::array<double, kTileSizes> start = {1500, 1500, 2500};

  double of(int size, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth) const;
};

/// The size of tiles that costs least; any has the same bits.
/// @param last  the largest that there is
TileSize best_tile(const TileCosts& costs, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
                   TileSize last);

}  // namespace cavs::cuda
