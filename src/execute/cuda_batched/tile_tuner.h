#pragma once

#include <optional>
#include <string>

#include "backend/cuda/batched/kernel_source.h"
#include "backend/cuda/batched/tile_choice.h"
#include "backend/cuda/device.h"
#include "backend/cuda/kernel_cache.h"

namespace cavs::cuda {

/// Costs of tiles (blocks of a product's result) on a GPU: measured costs from the kernel cache, or else predicted
/// costs. If kernels are measured, each size is used for all products of two steps, and then the measured costs are
/// used.
class TileTuner {
 public:
  /// @param cache  must outlive this object
  TileTuner(const KernelCache& cache, const DeviceProperties& gpu, const KernelSource& source, Precision precision);

  const TileCosts& costs() const { return costs_; }
  /// Returns the size of all tiles in the next measured step; nullopt if each product gets its best size.
  std::optional<TileSize> next();
  /// Returns the measurements, to which those of launches are added.
  TileFit& fit() { return fit_; }
  /// Call this after each measured step. @return true if costs() has changed
  bool end_step();
  /// Returns a line that describes the costs to the user.
  std::string describe() const;

 private:
  static constexpr int kSteps = 2 * kTileSizes;  // number of measured steps, two per size

  const KernelCache& cache_;
  const std::string made_of_;
  const TileCosts predicted_;
  TileCosts costs_;
  bool is_measured_ = false;
  TileFit fit_;
  int begun_ = 0, ended_ = 0;  // how many measured steps have begun, and ended
};

}  // namespace cavs::cuda
