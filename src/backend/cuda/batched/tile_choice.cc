#include "backend/cuda/batched/tile_choice.h"

#include <algorithm>

namespace cavs::cuda {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Returns how a product uses tiles of this size. Processors get tiles in turn, and compute them one after the other.
TileUse use_of(const TileCosts& costs, int size, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth) {
  constexpr double kColumns[] = {64, 64, 128};
  const std::int64_t tiles = divide_up(rows, tile_rows(size, costs.halves)) * divide_up(units, tile_units(size, gates));
  return {size, static_cast<double>(divide_up(tiles, costs.processors)),
          gates * tile_units(size, gates) / kColumns[size] * static_cast<double>(depth)};
}

}  // namespace

TileCosts predicted_costs(Precision precision, int processors) {
  TileCosts costs{.processors = processors, .halves = precision == Precision::kBf16};
  if (precision == Precision::kTf32) costs.clocks = {13.3, 21.3, 45};
  if (precision == Precision::kBf16) costs.clocks = {8, 10.7, 25};
  return costs;
}

TileUse best_tile(const TileCosts& costs, std::int64_t rows, std::int64_t units, int gates, std::int64_t depth,
                  TileSize last, std::optional<TileSize> only) {
  const auto use = [&](int size) { return use_of(costs, size, rows, units, gates, depth); };
  if (only) return use(std::min(*only, last));
  TileUse best = use(kSmallTile);
  for (int size = kMediumTile; size <= last; ++size)
    if (const TileUse other = use(size); costs.of(other) < costs.of(best)) best = other;
  return best;
}

void TileFit::add(const TileUse& use, double milliseconds) {
  if (use.size < 0 || use.waves <= 0 || milliseconds <= 0) return;
  Sums& sums = sums_[static_cast<std::size_t>(use.size)];
  const double x = use.depth, y = milliseconds * 1e6 / use.waves;
  sums.count += 1;
  sums.x += x;
  sums.y += y;
  sums.xx += x * x;
  sums.xy += x * y;
}

/// Fits a line to the measurements, or scales the predicted line if depths are equal or noise makes the fit useless.
TileCosts TileFit::costs(const TileCosts& predicted) const {
  constexpr double kApart = 0.01;  // least variance of depths that allows a fit, relative to their squared mean
  TileCosts found = predicted;
  double scales = 0, measured = 0;
  for (int size = 0; size < kTileSizes; ++size) {
    const Sums& of = sums_[static_cast<std::size_t>(size)];
    if (of.count == 0) continue;
    const double x = of.x / of.count, y = of.y / of.count, variance = of.xx / of.count - x * x;
    const double scale = y / predicted.of_tile(size, x);
    found.clocks[size] = scale * predicted.clocks[size];
    found.start[size] = scale * predicted.start[size];
    scales += scale;
    measured += 1;
    if (variance < kApart * x * x) continue;
    const double slope = (of.xy / of.count - x * y) / variance;
    if (slope > 0 && y > slope * x) {
      found.clocks[size] = slope;
      found.start[size] = y - slope * x;
    }
  }
  for (int size = 0; size < kTileSizes; ++size)
    if (measured > 0 && sums_[static_cast<std::size_t>(size)].count == 0) {
      found.clocks[size] *= scales / measured;
      found.start[size] *= scales / measured;
    }
  return found;
}

}  // namespace cavs::cuda
