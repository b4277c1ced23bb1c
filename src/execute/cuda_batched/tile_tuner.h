#pragma once

#include <optional>
#include <string>

#include "backend/cuda/batched/kernel_source.h"
#include "backend/cuda/batched/tile_choice.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernel_cache.h"

namespace cavs::cuda {

/// Costs of tiles on a GPU: measured costs from the kernel cache, or else predicted ones. If kernels are measured, each
/// size is used for all products of two steps, and then the measured costs are used.
class TileTuner {
 public:
  /// @param cache  must outlive this object
  TileTuner(const KernelCache& cache, const DeviceProperties& gpu, const KernelSource& source, Precision precision);

  const TileCosts& costs() const { return costs_; }
  /// Size of all tiles in the next measured step; none means that each product gets its best size.
  std::optional<TileSize> next();
  /// The measurements of launches, to be added to.
  TileFit& fit() { return fit_; }
  /// Call this after each measured step. @return true if costs() has changed
  bool end_step();
  /// A line for the user.
  std::string describe() const;

 private:
  static constexpr int kSteps = 2 * kTileSizes;

  const KernelCache& cache_;
  const std::string made_of_;
  const TileCosts predicted_;
  TileCosts costs_;
  bool is_measured_ = false;
  TileFit fit_;
  int begun_ = 0, ended_ = 0;  // numbers of steps
};

}  // namespace cavs::cuda
