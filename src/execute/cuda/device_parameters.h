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
/// them. If the host has newer values, they are copied to the GPU before a launch. Values that a launch has changed are
/// copied back when they are read through `Parameters`, `Gradients` or `Optimizer` (detail::Array), even after this
/// object is gone. An array in the caller's memory on the same GPU (CallerMemory) is not copied through the host.
class DeviceParameters {
 public:
  /// Memory that arrays of the host refer to, and that may therefore outlive this object.
  struct Block {
    Block(const DeviceRef& device, std::shared_ptr<const Stream> s) : memory(device), stream(std::move(s)) {}
    float* begin() const { return memory.as<float>(); }
    DeviceMemory memory;
    std::shared_ptr<const Stream> stream;
  };

  /// @param offsets  offset in floats of each parameter, followed by the total size
  DeviceParameters(const DeviceRef& device, const Program& program, std::shared_ptr<Parameters> parameters,
                   std::vector<std::int64_t> offsets);
  ~DeviceParameters();  // copies the parameters to the host, so that their memory can be freed
  DeviceParameters(const DeviceParameters&) = delete;
  DeviceParameters& operator=(const DeviceParameters&) = delete;

  /// Returns the stream of all kernels and copies. Each therefore finds the results of earlier ones.
  const Stream& stream() const { return *stream_; }

  /// Copies newer parameters from the host. @return address of the first parameter
  float* values();
  /// Returns the number of copies and updates of parameters so far.
  std::uint64_t changes() const { return values_.changes; }
  /// Copies newer optimiser state from the host. @return for each slot, the address of the first parameter's state
  std::vector<float*> slots(const Optimizer& optimizer);
  /// Copies newer averages of the parameters from the host. @return address of the first average
  float* averages(const Parameters& averages);

  /// Returns memory for the gradients of a launch, in a program for training. Nobody can read older gradients in it.
  float* gradients();
  /// Returns the GPU address of gradients that a launch computed; nullptr if the host has read or changed them since.
  float* find(const Gradients& gradients) const;
  /// Returns the block that gradients() returned last. The block is not reused while it is referenced.
  const std::shared_ptr<Block>& latest_gradients() const { return gradients_; }

  /// Records an update on the GPU: the GPU has the newest parameters and optimiser state.
  void mark_update_on_device(Optimizer& optimizer);
  /// Records that the GPU has the newest averages of the parameters.
  void leave_averages(Parameters& averages);
  /// Records that the GPU has the newest of these gradients. @param rows  for each table, distinct rows with a gradient
  void mark_gradients_on_device(std::shared_ptr<Block> block, std::vector<std::vector<std::int32_t>> rows,
                                Gradients& gradients) const;
  /// Copies gradients of the host to the GPU, and records that the GPU has them.
  void bring_gradients(Gradients& gradients);
  /// Like mark_gradients_on_device() above, for the latest gradients, which are those of a minibatch.
  void mark_gradients_on_device(const Plan& plan, Gradients& gradients) const;

 private:
  class Copy;
  /// One array per parameter, all in one block.
  struct Arrays {
    std::shared_ptr<Block> block;
    std::vector<std::shared_ptr<const Copy>> copies;  // [parameters] how the host's array gets the values
    std::vector<std::uint64_t> versions;              // [parameters] version of the host's array with the same values
    std::uint64_t changes = 0;                        // number of copies from the host, and of updates
  };

  std::shared_ptr<Block> make_block() const;
  Arrays make_arrays() const;
  void bring(Arrays& arrays, int parameter, const detail::Array& from) const;
  /// Copies array_of(p), the host's array of each parameter p, to the GPU if it is newer. Uses new memory if the host
  /// can still read the present one. @return address of the first array
  template <typename ArrayOf>
  float* bring_all(Arrays& arrays, ArrayOf array_of) const;
  /// Records that the GPU has the newest values of `to`. @return true if they are being copied to the caller's memory
  bool leave(Arrays& arrays, int parameter, detail::Array& to) const;

  const DeviceRef device_;
  const Program& program_;
  const std::shared_ptr<Parameters> parameters_;
  const std::vector<std::int64_t> offsets_;
  const std::shared_ptr<const Stream> stream_;
  Arrays values_;
  std::vector<Arrays> slots_;
  Arrays averages_;
  std::shared_ptr<Block> gradients_;                     // the block that gradients() returned last
  std::vector<std::shared_ptr<Block>> gradient_blocks_;  // all blocks; gradients() returns an unreferenced one
};

}  // namespace cavs::cuda
