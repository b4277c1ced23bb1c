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

/// What a kernel keeps of the weights.
struct KeptWeights {
  std::int64_t columns = 0;  // in registers, of all processors
  int columns_a_warp = 0;    // of one weight, with those of all gates of a unit, at most
  int shared_bytes = 0;      // of dynamic shared memory, of a block
};

/// A persistent kernel that is loaded, and what makes scripts for it.
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

/// The persistent kernels for a program on a GPU among which a session chooses: they differ in how many columns of the
/// weights a warp keeps, and so in how many processors take part, but not in a bit of what they compute (VPPS, section
/// III-A1). One with stack or spills is thrown away when it is compiled, and made again with fewer registers for
/// weights. The choice is kept beside the cubins.
class KernelSet {
 public:
  /// @throws UserError where the GPU or NVRTC cannot make or run them, or the program needs what the kernel lacks.
  KernelSet(const DeviceRef& device, const Program& program, Precision precision);

  int size() const { return static_cast<int>(kernels_.size()); }
  LoadedKernel& operator[](int number) { return *kernels_[static_cast<std::size_t>(number)]; }
  const LoadedKernel& operator[](int number) const { return *kernels_[static_cast<std::size_t>(number)]; }
  /// Processors of the largest.
  int processors() const { return kernels_.front()->processors(); }
  /// The kernel for the next launch that is prepared, and what it has taken.
  int next() { return choice_.next(); }
  void add(int number, double milliseconds, double work);
  std::optional<int> chosen() const { return choice_.chosen(); }

  /// For the user, a line each.
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
  int thrown_away_ = 0;
  std::string made_of_;  // what the choice is among
  KernelChoice choice_;
};

}  // namespace cavs::cuda
