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

/// A model's parameters, their gradients and the state of an optimiser in a GPU's memory, where kernels read and
/// change them. What is newer on the host is copied there before a launch; what a launch has changed is copied back
/// when somebody asks `Parameters`, `Gradients` or `Optimizer` for it (detail::Array), also after this object is gone.
/// What is bound to memory of the caller's on the same GPU (CallerMemory) does not pass through the host.
class DeviceParameters {
 public:
  /// @param offsets  floats before each parameter; last, of all together
  DeviceParameters(const DeviceRef& device, const Program& program, std::shared_ptr<Parameters> parameters,
                   std::vector<std::int64_t> offsets);
  ~DeviceParameters();  // brings the parameters back, so that their memory can go
  DeviceParameters(const DeviceParameters&) = delete;
  DeviceParameters& operator=(const DeviceParameters&) = delete;

  /// Kernels run on it, and all copies, so that each sees what the one before it has done.
  const Stream& stream() const { return *stream_; }

  /// Copies what is newer on the host. @return where the first parameter lies
  float* values();
  /// Memory for gradients, which a launch of a program for training writes.
  float* gradients();
  /// Copies what is newer on the host of the optimiser's state. @return where a slot's first parameter lies
  std::vector<float*> slots(const Optimizer& optimizer);

  /// A launch has updated the parameters: the newest values, and the optimiser's state, are here.
  void leave_update(Optimizer& optimizer);
  /// A launch has computed these gradients of a minibatch.
  void leave_gradients(const Plan& plan, Gradients& gradients);

 private:
  /// Memory that the host's arrays may refer to when this object is gone.
  struct Block {
    Block(const DeviceRef& device, std::shared_ptr<const Stream> s) : memory(device), stream(std::move(s)) {}
    DeviceMemory memory;
    std::shared_ptr<const Stream> stream;
  };
  class Copy;
  /// Arrays side by side, one for each parameter, and the versions that are here.
  struct Arrays {
    std::shared_ptr<Block> block;
    std::vector<std::shared_ptr<const Copy>> copies;
    std::vector<std::uint64_t> versions;
    float* begin() const { return block->memory.as<float>(); }
  };

  std::shared_ptr<Block> make_block() const;
  Arrays make_arrays() const;
  void bring(Arrays& arrays, int parameter, const detail::Array& from) const;
  /// @return whether it is being copied to the caller's memory
  bool leave(Arrays& arrays, int parameter, detail::Array& to) const;

  const DeviceRef device_;
  const Program& program_;
  const std::shared_ptr<Parameters> parameters_;
  const std::vector<std::int64_t> offsets_;
  const std::shared_ptr<const Stream> stream_;
  Arrays values_;
  std::vector<Arrays> slots_;
  std::shared_ptr<Block> gradients_;  // nullptr: the program is for inference
  std::shared_ptr<const Copy> left_;  // of the last gradients
};

}  // namespace cavs::cuda
