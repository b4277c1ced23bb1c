#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "backend/cuda/device.h"
#include "cavs/optimizer.h"
#include "compile/program.h"
#include "plan/plan.h"
#include "tensor/array.h"

namespace cavs::cuda {

/// The parameters of a model, their gradients and an optimiser's state in a GPU's memory, where kernels read and change
/// them. Newer values of the host are copied to the GPU before a launch. Values that a launch has changed are copied
/// back when they are read through `Parameters`, `Gradients` or `Optimizer` (detail::Array), even after this object is
/// gone. Arrays bound to the caller's memory on the same GPU (CallerMemory) are not copied through the host.
class DeviceParameters {
 public:
  /// Memory that arrays of the host may refer to after this object is gone.
  struct Block {
    Block(const DeviceRef& device, std::shared_ptr<const Stream> s) : memory(device), stream(std::move(s)) {}
    float* begin() const { return memory.as<float>(); }
    DeviceMemory memory;
    std::shared_ptr<const Stream> stream;
  };

  /// @param offsets  floats before each parameter; the last number is the total
  DeviceParameters(const DeviceRef& device, const Program& program, std::shared_ptr<Parameters> parameters,
                   std::vector<std::int64_t> offsets);
  ~DeviceParameters();  // copies the parameters to the host, so that their memory can be freed
  DeviceParameters(const DeviceParameters&) = delete;
  DeviceParameters& operator=(const DeviceParameters&) = delete;

  /// The stream of all kernels and copies, which therefore see the results of earlier ones.
  const Stream& stream() const { return *stream_; }

  /// Copies newer values from the host. @return address of the first parameter
  float* values();
  /// Number of copies and updates of parameters so far.
  std::uint64_t changes() const { return values_.changes; }
  /// Copies newer state of the optimiser from the host. @return address of each slot of the first parameter
  std::vector<float*> slots(const Optimizer& optimizer);
  /// Copies newer averages of the parameters from the host. @return address of the first average
  float* averages(const Parameters& averages);

  /// Memory for gradients that a launch writes (programs for training). It holds no gradients that can still be read.
  float* gradients();
  /// Address of gradients that were left here; nullptr if they were not, or if they have been read or changed since.
  float* find(const Gradients& gradients) const;
  /// The memory that gradients() returned last. It is not reused while it is referenced.
  const std::shared_ptr<Block>& latest_gradients() const { return gradients_; }

  /// Marks parameters and the optimiser's state as newest on the GPU, after an update there.
  void mark_update_on_device(Optimizer& optimizer);
  /// Marks averages of the parameters as newest on the GPU.
  void leave_averages(Parameters& averages);
  /// Marks these gradients as newest on the GPU. @param rows  for each table, distinct rows that have a gradient
  void mark_gradients_on_device(std::shared_ptr<Block> block, std::vector<std::vector<std::int32_t>> rows,
                                Gradients& gradients) const;
  /// Copies gradients of the host to the GPU, and leaves them here.
  void bring_gradients(Gradients& gradients);
  /// Likewise for the gradients of a minibatch.
  void mark_gradients_on_device(const Plan& plan, Gradients& gradients) const;

 private:
  class Copy;
  /// Adjacent arrays, one per parameter, and the versions of them that the GPU has.
  struct Arrays {
    std::shared_ptr<Block> block;
    std::vector<std::shared_ptr<const Copy>> copies;
    std::vector<std::uint64_t> versions;
    std::uint64_t changes = 0;
  };

  std::shared_ptr<Block> make_block() const;
  Arrays make_arrays() const;
  void bring(Arrays& arrays, int parameter, const detail::Array& from) const;
  /// Copies `array_of(parameter)` of each parameter to the GPU, to new memory if the present one can still be read.
  template <typename ArrayOf>
  float* bring_all(Arrays& arrays, ArrayOf array_of) const;
  /// @return true if it is being copied to the caller's memory
  bool leave(Arrays& arrays, int parameter, detail::Array& to) const;

  const DeviceRef device_;
  const Program& program_;
  const std::shared_ptr<Parameters> parameters_;
  const std::vector<std::int64_t> offsets_;
  const std::shared_ptr<const Stream> stream_;
  Arrays values_;
  std::vector<Arrays> slots_;
  Arrays averages_;
  std::shared_ptr<Block> gradients_;                     // the latest
  std::vector<std::shared_ptr<Block>> gradient_blocks_;  // all blocks; an unreferenced one is used next
};

}  // namespace cavs::cuda
