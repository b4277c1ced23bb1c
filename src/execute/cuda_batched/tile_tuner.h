#pragma once

#include <optional>
#include <string>

#include "backend/cuda/batched/kernel_source.h"
#include "backend/cuda/batched/tile_choice.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernel_cache.h"

namespace cavs::cuda {

/// The costs of tiles on a GPU: measured ones, which the cache of kernels keeps, else predicted ones. An engine whose
/// kernels are measured takes each size for all products of two steps, before it goes on with what that has shown.
class TileTuner {
 public:
  /// @param cache  outlives it
  TileTuner(const KernelCache& cache, const DeviceProperties& gpu, const KernelSource& source, Precision precision);

  const TileCosts& costs() const { return costs_; }
  /// The size that all products of the next measured step have; none: the best.
  std::optional<TileSize> next();
  /// Where launches of measured steps are noted.
  TileFit& fit() { return fit_; }
  /// After each. @return whether costs() are new
  bool end_step();
  /// For the user.
  std::string describe() const;

 private:
  static constexpr int kSteps = 2 * kTileSizes;

  const KernelCache& cache_;
  const std::string made_of_;
  const TileCosts predicted_;
  TileCosts costs_;
  bool is_measured_ = false;
  TileFit fit_;
  int begun_ = 0, ended_ = 0;  // steps
};

}  // namespace cavs::cuda
