#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "backend/cuda/entries/tile_shape.h"
#include "cavs/session_options.h"

namespace cavs::cuda {

/// A product as the costs of its tiles see it.
struct TileUse {
  int size = -1;     // of its tiles; -1: it is no product
  double waves = 0;  // tiles of a processor, which takes one after the other
  double depth = 0;  // numbers of the depth that each adds up for 64 columns (128 of large ones)
};

/// The costs of products on a GPU, by the size of their tiles.
struct TileCosts {
  int processors = 132;
  bool halves = false;  // in bf16
  /// Of a tile of 64 columns per number of the depth, or of 128 columns for the large one: clocks, or any other unit.
  std::array<double, kTileSizes> clocks = {13.3, 44, 175};
  /// Before a tile's first multiply-add and after its last.
  std::array<double, kTileSizes> start = {1500, 1500, 2500};

  double of(const TileUse& use) const { return use.waves * of_tile(use.size, use.depth); }
  double of_tile(int size, double depth) const { return start[size] + clocks[size] * depth; }
};

/// Those of an H100, unmeasured: multiply-adds at 73 % of the peak in fp32, 170 TFLOP/s in TF32 and 300 in bf16; where
/// that takes longer, 24 bytes per clock of the L2.
TileCosts predicted_costs(Precision precision, int processors);

/// The size of tiles that costs least; any has the same bits.
/// @param last  the largest that there is   @param only  takes this one instead, or the last
TileUse best_tile(const TileCosts& costs, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
                  TileSize last, std::optional<TileSize> only = std::nullopt);

/// Fits the costs of tiles to launches that were measured.
class TileFit {
 public:
  void add(const TileUse& use, double milliseconds);
  /// In nanoseconds. Sizes that were not measured have the predicted costs, in the units of those that were.
  TileCosts costs(const TileCosts& predicted) const;

 private:
  /// Over launches of one size: x is the depth, y the nanoseconds of a tile.
  struct Sums {
    double count = 0, x = 0, y = 0, xx = 0, xy = 0;
  };
  std::array<Sums, kTileSizes> sums_{};
};

}  // namespace cavs::cuda
