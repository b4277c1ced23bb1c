#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "backend/cuda/entries/tile_shape.h"
#include "cavs/session_options.h"

namespace cavs::cuda {

/// Properties of a product that determine the cost of its tiles.
struct TileUse {
  int size = -1;     // size of its tiles; -1 if it is not a product
  double waves = 0;  // tiles per processor, one after the other
  double depth = 0;  // multiply-adds of a tile along the depth, per 64 columns (128 for large tiles)
};

/// The costs of products on a GPU, by the size of their tiles.
struct TileCosts {
  int processors = 132;
  bool halves = false;  // true in bf16
  /// Cost of a tile per number of the depth, for 64 columns (128 for large tiles), in clocks or any other unit.
  std::array<double, kTileSizes> clocks = {13.3, 44, 175};
  /// Cost before a tile's first multiply-add and after its last.
  std::array<double, kTileSizes> start = {1500, 1500, 2500};

  double of(const TileUse& use) const { return use.waves * of_tile(use.size, use.depth); }
  double of_tile(int size, double depth) const { return start[size] + clocks[size] * depth; }
};

/// Costs for an H100, unmeasured: multiply-adds at 73 % of the peak in fp32, 170 TFLOP/s in TF32 and 300 in bf16. Where
/// reading takes longer, 24 bytes per clock from the L2.
TileCosts predicted_costs(Precision precision, int processors);

/// The cheapest size of tiles. All sizes give the same bits.
/// @param last  the largest possible size   @param only  this size instead, or the last if that is smaller
TileUse best_tile(const TileCosts& costs, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
                  TileSize last, std::optional<TileSize> only = std::nullopt);

/// Fits the costs of tiles to measured launches.
class TileFit {
 public:
  void add(const TileUse& use, double milliseconds);
  /// Costs in nanoseconds. Sizes that were not measured have the predicted costs, scaled to the measured ones.
  TileCosts costs(const TileCosts& predicted) const;

 private:
  /// Sums over launches of one size; x is the depth, y the nanoseconds per tile.
  struct Sums {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  };
  std::array<Sums, kTileSizes> sums_{};
};

}  // namespace cavs::cuda
