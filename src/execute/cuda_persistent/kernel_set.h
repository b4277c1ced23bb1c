#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/cuda/device.h"
#include "backend/cuda/entries/pack_script.h"
#include "backend/cuda/kernel_cache.h"
#include "backend/cuda/persistent/kernel_source.h"
#include "execute/cuda_persistent/kernel_choice.h"
#include "placement/placement.h"
#include "script/write_script.h"
#include "share/step_sharer.h"

namespace cavs::cuda {

/// The part of the weights that a kernel keeps on chip.
struct KeptWeights {
  std::int64_t columns = 0;  // columns that all processors together keep in registers
  int columns_per_warp = 0;  // largest number of columns of one weight in a warp's registers, gates included
  int shared_bytes = 0;      // bytes of dynamic shared memory per block
};

/// A loaded persistent kernel, and the objects that write scripts for the kernel.
struct LoadedKernel {
  LoadedKernel(const DeviceRef& device, const Program& program, WeightPlacement placed, const KernelOptions& o,
               const Cubin& cubin);

  const WeightPlacement placement;
  const KernelOptions options;
  const KernelResources resources;
  const KeptWeights kept;
  const Kernel kernel;
  StepSharer sharer;
  ScriptWriter writer;
  ScriptPacker packer;

  int processors() const { return placement.target.processors; }
};

/// The persistent kernels of a program on a GPU, from which a session chooses. They differ in how many columns of the
/// weights a warp keeps, and so in how many processors they use, and give bit-identical results (VPPS, section III-A1).
/// A kernel that uses stack or spills registers is discarded after compilation, and compiled again with fewer registers
/// for weights. The choice is stored in the cache, next to the cubins (compiled kernels).
class KernelSet {
 public:
  /// @throws UserError if NVRTC cannot compile or the GPU cannot run the kernels, or they do not support the program.
  KernelSet(const DeviceRef& device, const Program& program, Precision precision);

  int size() const { return static_cast<int>(kernels_.size()); }
  LoadedKernel& operator[](int number) { return *kernels_[static_cast<std::size_t>(number)]; }
  const LoadedKernel& operator[](int number) const { return *kernels_[static_cast<std::size_t>(number)]; }
  /// Returns the number of processors of the largest kernel.
  int processors() const { return kernels_.front()->processors(); }
  /// Returns the kernel for the next launch to be prepared. Pass the time of the launch to add().
  int next() { return choice_.next(); }
  void add(int number, double milliseconds, double work);
  std::optional<int> chosen() const { return choice_.chosen(); }

  /// Returns lines that describe the kernels to the user.
  std::vector<std::string> describe() const;

 private:
  struct Shape {
    int processors;
    KernelOptions options;
  };

  std::vector<Shape> shapes(Precision precision) const;
  WeightPlacement place(const Shape& shape) const;
  std::unique_ptr<LoadedKernel> make(Shape shape);

  const DeviceRef device_;
  const Program& program_;
  KernelCompiler compiler_;
  std::vector<std::unique_ptr<LoadedKernel>> kernels_;
  int discarded_ = 0;    // number of kernels that were discarded because of a stack or spills
  std::string made_of_;  // key of the choice in the cache
  KernelChoice choice_;
};

}  // namespace cavs::cuda
