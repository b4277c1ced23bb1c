#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "backend/cuda/entries/tile_shape.h"
#include "cavs/session_options.h"

namespace cavs::cuda {

/// Properties of a product that determine the cost of its tiles.
struct TileUse {
  int size = -1;     // size of its tiles; -1 if the launch is not a product
  double waves = 0;  // number of tiles that a processor computes one after the other
  double depth = 0;  // the product's depth, times the tile's columns / 64 (/ 128 for large tiles)
};

/// The costs of a product's tiles on a GPU, by the size of the tiles.
struct TileCosts {
  int processors = 132;
  bool halves = false;  // true if factors are in bf16
  /// [sizes] time of a tile per unit of TileUse::depth, in clocks or another unit.
  std::array<double, kTileSizes> clocks = {13.3, 44, 175};
  /// [sizes] time of a tile before its first multiply-add and after its last one, in the same unit.
  std::array<double, kTileSizes> start = {1500, 1500, 2500};

  double of(const TileUse& use) const { return use.waves * of_tile(use.size, use.depth); }
  double of_tile(int size, double depth) const { return start[size] + clocks[size] * depth; }
};

/// Returns costs predicted for an H100, not measured. Multiply-adds run at 73 % of the peak in fp32, at 170 TFLOP/s in
/// TF32 and at 300 in bf16. If reading takes longer, 24 bytes per clock from the L2 count.
TileCosts predicted_costs(Precision precision, int processors);

/// Returns the use of the cheapest size of tiles. All sizes give bit-identical results.
/// @param last  the largest possible size   @param only  use this size; `last` if that is smaller
TileUse best_tile(const TileCosts& costs, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
                  TileSize last, std::optional<TileSize> only = std::nullopt);

/// Fits the costs of tiles to measured launches.
class TileFit {
 public:
  void add(const TileUse& use, double milliseconds);
  /// Returns costs in nanoseconds. A size that was not measured has predicted costs, scaled as others are.
  TileCosts costs(const TileCosts& predicted) const;

 private:
  /// Sums over the launches of one size. x is TileUse::depth, y the nanoseconds per tile.
  struct Sums {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  };
  std::array<Sums, kTileSizes> sums_{};
};

}  // namespace cavs::cuda
